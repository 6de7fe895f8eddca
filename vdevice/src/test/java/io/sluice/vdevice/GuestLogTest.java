package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.helpers.SubstituteLogger;
import org.slf4j.spi.NOPLoggingEventBuilder;

final class GuestLogTest {
  /** Takes every level, whatever else logs. */
  private final Logger logger = new SubstituteLogger("g", new ArrayDeque<>(), false);

  private final AtomicLong clock = new AtomicLong();
  private static final LogRate RATE = new LogRate(16, Duration.ofMillis(250));

  private final GuestLog log = new GuestLog("g", RATE, clock::get);

  private int lines(int tries) {
    int lines = 0;
    for (int i = 0; i < tries; i++) {
      if (log.at(logger, Level.WARN) != NOPLoggingEventBuilder.singleton()) {
        lines++;
      }
    }
    return lines;
  }

  @Test
  void at_moreThanTheRate_isLeftOutAndCounted() {
    assertThat(lines(1000)).isEqualTo(RATE.burst());
    assertThat(log.leftOut()).isEqualTo(1000 - RATE.burst());
    clock.addAndGet(RATE.interval().toNanos());
    assertThat(lines(1000)).isEqualTo(1);
  }
}
