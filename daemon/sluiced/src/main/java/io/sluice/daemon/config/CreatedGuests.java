package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import io.sluice.channel.SlotLimits;
import io.sluice.management.Quantities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;

/**
 * Remembers the guests that were created at run time, in {@code STATE-DIR/guests.toml}: {@code
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
      if (guest.quota().limitBytes() != 0) {
        line(text, Schema.GUEST_VRAM_LIMIT, Quantities.formatSize(guest.quota().limitBytes()));
      }
      if (guest.slots().channels() != SlotLimits.DEFAULT.channels()) {
        line(text, Schema.GUEST_CHANNEL_LIMIT, Integer.toString(guest.slots().channels()));
      }
      if (guest.slots().addressSpaces() != SlotLimits.DEFAULT.addressSpaces()) {
        line(text, Schema.GUEST_SPACE_LIMIT, Integer.toString(guest.slots().addressSpaces()));
      }
    }
    Path written = file.resolveSibling(FILE + ".new");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Names and UUIDs need no escapes; a path may. */
  private static void line(StringBuilder text, Key<?> key, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"");
    text.append(key.name()).append(" = \"").append(escaped).append("\"\n");
  }
}
