package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.channel.SlotLimits;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QuotaStoreTest {
  private static final Quota LIMITED =
      new Quota(0, 1, 1 << 20, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));
  private static final Quota OTHER =
      new Quota(3 << 12, 1024, 64L << 20, BeyondShare.SYSTEM_MEMORY, Duration.ofMillis(12_345));

  @TempDir private Path dir;
  private QuotaStore store;

  @BeforeEach
  void makeStore() {
    store = new QuotaStore(dir);
  }

  @ParameterizedTest
  @CsvSource({
    "weight = \"3\", [[guest]] without a name; add name",
    "name = \"a\" | weight = \"0\", \"0\" is no value of weight",
    "name = \"a\" | vram-min = \"1\", \"1\" is no value of vram-min",
    "name = \"a\" | wieght = \"3\", did you mean \"weight\"",
    "name = \"a\" | [[guest]] | name = \"a\", a second quota of guest \"a\"; remove one",
  })
  void load_brokenFile_saysWhere(String text, String expected) throws Exception {
    Files.writeString(store.file(), "[[guest]]\n" + text.replace(" | ", "\n") + "\n");

    assertThatThrownBy(store::load)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(store.file() + ":")
        .hasMessageContaining(expected);
  }

  @Test
  void put_directoryThatIsNotThere_keepsWhatWas() {
    QuotaStore nowhere = new QuotaStore(dir.resolve("none"));

    assertThatThrownBy(() -> nowhere.put(guest("a"), OTHER)).isInstanceOf(IOException.class);
    assertThat(nowhere.of(guest("a"))).isEqualTo(Quota.DEFAULT);
  }

  @Test
  void load_noFile_isEmpty() throws Exception {
    store.load();
    assertThat(store.of(guest("a"))).isEqualTo(Quota.DEFAULT);
  }

  @Test
  void load_kept_givesTheSame() throws Exception {
    store.put(guest("a"), LIMITED);
    store.put(guest("b"), OTHER);
    store.put(guest("c"), OTHER);
    store.put(guest("c"), Quota.DEFAULT);
    store.put(guest("d"), OTHER);
    store.forget("d");

    QuotaStore again = new QuotaStore(dir);
    again.load();
    assertThat(again.of(guest("a"))).isEqualTo(LIMITED);
    assertThat(again.of(guest("b"))).isEqualTo(OTHER);
    assertThat(again.of(guest("c"))).isEqualTo(Quota.DEFAULT);
    assertThat(again.of(guest("d"))).isEqualTo(Quota.DEFAULT);
    assertThat(Files.readString(store.file())).doesNotContain("\"c\"", "\"d\"");
    assertThat(dir).isDirectoryNotContaining("glob:**.new");
  }

  private static GuestSettings guest(String name) {
    return new GuestSettings(
        name,
        GuestSettings.derivedUuid(name),
        "embedded",
        Path.of("/run/" + name),
        Path.of("/run/" + name + ".qmp"),
        Quota.DEFAULT,
        SlotLimits.DEFAULT,
        GuestSettings.DEFAULT_MAPS,
        ProgramSettings.NONE);
  }
}
