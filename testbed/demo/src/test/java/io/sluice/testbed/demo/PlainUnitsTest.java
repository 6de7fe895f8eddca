package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlainUnitsTest {
  @ParameterizedTest
  @CsvSource({
    "0, less than 1 ms",
    "999999, less than 1 ms",
    "7400000, 7 ms",
    "10000000, 0.01 s",
    "420000000, 0.42 s",
    "994000000, 0.99 s",
    "996000000, 1.0 s",
    "3096244000, 3.1 s",
    "9940000000, 9.9 s",
    "9960000000, 10 s",
    "94400000000, 94 s"
  })
  void seconds_any_haveTheirUnitAndNoMoreFiguresThanCount(long ns, String text) {
    assertThat(PlainUnits.seconds(ns)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "20, 20 B",
    "1024, 1 KiB",
    "1536, 1.5 KiB",
    "67108864, 64 MiB",
    "1782580, 1.7 MiB",
    "138727096, 132 MiB",
    "1610612736, 1.5 GiB"
  })
  void bytes_any_haveTheirUnit(long bytes, String text) {
    assertThat(PlainUnits.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0 messages", "1, 1 message", "277, 277 messages"})
  void count_any_isSingularForOneOnly(long number, String text) {
    assertThat(PlainUnits.count(number, "message")).isEqualTo(text);
  }
}
