package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.daemon.config.QuotaSettings.BeyondShare;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ChangedQuotasTest {
  @TempDir private Path dir;
  private ChangedQuotas store;

  @BeforeEach
  void makeStore() {
    store = new ChangedQuotas(dir);
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
  void save_directoryThatIsNotThere_keepsNothing() {
    ChangedQuotas nowhere = new ChangedQuotas(dir.resolve("none"));

    assertThatThrownBy(() -> nowhere.save(Map.of())).isInstanceOf(IOException.class);
  }

  @Test
  void load_noFile_isEmpty() throws Exception {
    assertThat(store.load()).isEmpty();
  }

  @Test
  void load_saved_givesTheSame() throws Exception {
    Map<String, QuotaSettings> quotas =
        Map.of(
            "a",
            QuotaSettings.DEFAULT,
            "b",
            new QuotaSettings(
                3 << 12, 1024, 64L << 20, BeyondShare.SYSTEM_MEMORY, Duration.ofMillis(12_345)));
    store.save(quotas);

    assertThat(store.load()).isEqualTo(quotas);
    assertThat(dir).isDirectoryNotContaining("glob:**.new");
  }
}
