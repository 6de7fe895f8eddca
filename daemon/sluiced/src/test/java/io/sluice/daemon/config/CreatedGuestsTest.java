package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.channel.SlotLimits;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.vdevice.dma.MapLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CreatedGuestsTest {
  @TempDir private Path dir;
  private CreatedGuests store;

  @BeforeEach
  void makeStore() {
    store = new CreatedGuests(dir);
  }

  @Test
  void load_brokenFile_saysWhere() throws Exception {
    Files.writeString(store.file(), "[[guest]]\nnme = \"a\"\n");

    assertThatThrownBy(() -> store.load(DaemonConfig.of(Map.of())))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(store.file() + ":2:1: unknown key of [[guest]] \"nme\"");
  }

  @Test
  void load_gpuThatIsGone_saysSo() throws Exception {
    store.save(List.of(guest("a", "card0", "/run/a.sock", 0)));

    assertThatThrownBy(() -> store.load(DaemonConfig.of(Map.of())))
        .hasMessageContaining("unknown GPU \"card0\"");
  }

  @Test
  void save_directoryThatIsNotThere_keepsNothing() {
    CreatedGuests nowhere = new CreatedGuests(dir.resolve("none"));

    assertThatThrownBy(() -> nowhere.save(List.of())).isInstanceOf(IOException.class);
  }

  @Test
  void load_noFile_isEmpty() throws Exception {
    assertThat(store.load(DaemonConfig.of(Map.of()))).isEmpty();
  }

  @Test
  void load_saved_givesTheSame() throws Exception {
    List<GuestSettings> guests =
        List.of(
            guest("a", "embedded", "/run/sluice/a.sock", 0),
            guest("b", "embedded", "/run/with \"quotes\" and \\.sock", 64L << 20));
    store.save(guests);

    assertThat(store.load(DaemonConfig.of(Map.of()))).isEqualTo(guests);
    assertThat(dir).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void load_nameThatTheConfigurationHasToo_isLeftOut() throws Exception {
    Path file = Files.writeString(dir.resolve("sluice.toml"), "[[guest]]\nname = \"a\"\n");
    store.save(List.of(guest("a", "embedded", "/run/a.sock", 0), guest("b", "embedded", "/b", 0)));

    assertThat(store.load(new ConfigLoader(Map.of(), Map.of()).load(file)))
        .extracting(GuestSettings::name)
        .containsExactly("b");
  }

  private static GuestSettings guest(String name, String gpu, String socket, long limit) {
    return new GuestSettings(
        name,
        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
        gpu,
        Path.of(socket),
        Path.of(socket + ".qmp"),
        limit == 0
            ? Quota.DEFAULT
            : new Quota(0, 1, limit, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2)),
        limit == 0 ? SlotLimits.DEFAULT : new SlotLimits(3, 5),
        limit == 0 ? GuestSettings.DEFAULT_MAPS : new MapLimits(limit, 7),
        limit == 0 ? ProgramSettings.NONE : new ProgramSettings(true, false, 3, 1L << 30));
  }
}
