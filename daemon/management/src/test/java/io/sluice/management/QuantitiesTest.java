package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantitiesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "MiB",
        "-1MiB",
        "1 mib",
        "1MB",
        "1.MiB",
        ".5MiB",
        "1e3MiB",
        "0.3B",
        "1  MiB",
        "9223372036854775808B",
        "8388608TiB",
        "1MiB "
      })
  void parseSize_notASize_isEmpty(String text) {
    assertThat(Quantities.parseSize(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "s", "-1s", "1 S", "1m", "0.1ns", "99999999999999h"})
  void parseDuration_notADuration_isEmpty(String text) {
    assertThat(Quantities.parseDuration(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0B,0,0B",
    "512MiB,536870912,512MiB",
    "1.5 GiB,1610612736,1536MiB",
    "4096B,4096,4KiB",
    "4097B,4097,4097B",
    "2TiB,2199023255552,2TiB"
  })
  void parseSize_size_givesBytesThatFormatBack(String text, long bytes, String formatted) {
    assertThat(Quantities.parseSize(text)).contains(bytes);
    assertThat(Quantities.formatSize(bytes)).isEqualTo(formatted);
    assertThat(Quantities.parseSize(formatted)).contains(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "0us,0,0ns",
    "100us,100000,100us",
    "1.5 ms,1500000,1500us",
    "90s,90000000000,90s",
    "2min,120000000000,2min",
    "1h,3600000000000,1h"
  })
  void parseDuration_duration_givesNanosThatFormatBack(String text, long ns, String formatted) {
    assertThat(Quantities.parseDuration(text)).contains(Duration.ofNanos(ns));
    assertThat(Quantities.formatDuration(Duration.ofNanos(ns))).isEqualTo(formatted);
    assertThat(Quantities.parseDuration(formatted)).contains(Duration.ofNanos(ns));
  }

  @Test
  void formatSize_most_readsBack() {
    assertThat(Quantities.parseSize(Quantities.formatSize(Long.MAX_VALUE))).isEmpty();
    assertThat(Quantities.formatSize(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE + "B");
  }
}
