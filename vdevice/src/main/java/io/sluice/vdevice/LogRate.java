package io.sluice.vdevice;

import java.time.Duration;

/**
 * The rate of lines in the log about one guest.
 *
 * @param burst lines at once, at least 1
 * @param interval between lines in the long run, more than zero
 */
public record LogRate(int burst, Duration interval) {
  /** When the operator says nothing. */
  public static final LogRate DEFAULT = new LogRate(64, Duration.ofSeconds(1));

  /** Refuses what is no rate. */
  public LogRate {
    if (burst < 1 || !interval.isPositive()) {
      throw new IllegalArgumentException("no rate, burst=" + burst + ", interval=" + interval);
    }
  }
}
