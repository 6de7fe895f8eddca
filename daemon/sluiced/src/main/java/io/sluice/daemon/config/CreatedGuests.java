package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import io.sluice.channel.SlotLimits;
import io.sluice.management.Quantities;
import io.sluice.quota.Quota;
import io.sluice.vdevice.dma.MapLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/**
 * The guests that were created at run time, remembered in {@code STATE-DIR/guests.toml}: {@code
 * [[guest]]} tables as in the configuration.
 */
public final class CreatedGuests {
  private static final String FILE = "guests.toml";
  private static final String HEADER =
      "# Guests created at run time. sluiced writes this file; edit it only while it is stopped.\n";

  private final Path file;

  /**
   * @param stateDir the daemon's state directory
   */
  public CreatedGuests(Path stateDir) {
    this.file = stateDir.resolve(FILE);
  }

  /** Where they are remembered. */
  public Path file() {
    return file;
  }

  /**
   * The guests remembered; none when there is no file. One whose name the configuration has
   * meanwhile is left out.
   *
   * @throws ConfigException when the file is wrong, by itself or beside the configuration
   */
  public ImmutableList<GuestSettings> load(DaemonConfig config) throws ConfigException {
    if (!Files.exists(file)) {
      return ImmutableList.of();
    }
    Draft draft = new Draft();
    new TomlSource(file, draft).read();
    ImmutableList<GuestSettings> guests = new Resolver(draft).created(config);
    if (!draft.errors().isEmpty()) {
      throw new ConfigException(draft.errors());
    }
    return guests;
  }

  /** Replaces what is remembered: all of it or, when this fails, nothing. */
  public void save(Collection<GuestSettings> guests) throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    for (GuestSettings guest : guests) {
      text.append("\n[[guest]]\n");
      line(text, Schema.GUEST_NAME, guest.name());
      line(text, Schema.GUEST_UUID, guest.uuid().toString());
      line(text, Schema.GUEST_GPU, guest.gpu());
      line(text, Schema.GUEST_SOCKET, guest.socket().toString());
      line(text, Schema.GUEST_QMP, guest.qmp().toString());
      quota(text, guest.quota());
      if (guest.slots().channels() != SlotLimits.DEFAULT.channels()) {
        line(text, Schema.GUEST_CHANNEL_LIMIT, Integer.toString(guest.slots().channels()));
      }
      if (guest.slots().addressSpaces() != SlotLimits.DEFAULT.addressSpaces()) {
        line(text, Schema.GUEST_SPACE_LIMIT, Integer.toString(guest.slots().addressSpaces()));
      }
      if (guest.maps().bytes() != GuestSettings.HOST_MEMORY) {
        line(text, Schema.GUEST_SHARED_LIMIT, Quantities.formatSize(guest.maps().bytes()));
      }
      if (guest.maps().maps() != MapLimits.MAX_MAPS) {
        line(text, Schema.GUEST_MAP_LIMIT, Integer.toString(guest.maps().maps()));
      }
      if (guest.openCl()) {
        line(text, Schema.GUEST_OPENCL, "true");
      }
      ProgramSettings programs = guest.programs();
      if (programs.cuda()) {
        line(text, Schema.GUEST_CUDA, "true");
      }
      if (programs.cudaPrograms() != ProgramSettings.CUDA_PROGRAMS) {
        line(text, Schema.GUEST_CUDA_PROGRAMS, Integer.toString(programs.cudaPrograms()));
      }
      if (programs.cudaHostBytes() != ProgramSettings.CUDA_HOST_BYTES) {
        line(text, Schema.GUEST_CUDA_HOST_MEMORY, Quantities.formatSize(programs.cudaHostBytes()));
      }
    }
    StateFile.replace(file, text.toString());
  }

  private static void quota(StringBuilder text, Quota quota) {
    if (quota.minimumBytes() != Quota.DEFAULT.minimumBytes()) {
      line(text, Schema.GUEST_VRAM_MIN, Quantities.formatSize(quota.minimumBytes()));
    }
    if (quota.hasLimit()) {
      line(text, Schema.GUEST_VRAM_LIMIT, Quantities.formatSize(quota.limitBytes()));
    }
    if (quota.weight() != Quota.DEFAULT.weight()) {
      line(text, Schema.GUEST_WEIGHT, Integer.toString(quota.weight()));
    }
    if (quota.beyondShare() != Quota.DEFAULT.beyondShare()) {
      line(text, Schema.GUEST_BEYOND_SHARE, quota.beyondShare().text());
    }
    if (!quota.killTimeout().equals(Quota.DEFAULT.killTimeout())) {
      line(text, Schema.GUEST_KILL_TIMEOUT, Quantities.formatDuration(quota.killTimeout()));
    }
  }

  /** Names and UUIDs need no escapes; a path may. */
  private static void line(StringBuilder text, Key<?> key, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"");
    text.append(key.name()).append(" = \"").append(escaped).append("\"\n");
  }
}
