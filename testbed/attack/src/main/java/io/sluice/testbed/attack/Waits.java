package io.sluice.testbed.attack;

import java.util.Locale;

/**
 * The waits of the victims: what 99 of 100 of their submissions are not above.
 *
 * @param processSamples submissions that were measured
 * @param longestNs the longest of them
 * @param lost the part of the time in which it had waited longer than 1 ms for one
 * @param machineNs in a machine; 0 where there is none
 */
record Waits(
    long processNs,
    long processSamples,
    long longestNs,
    double lost,
    long machineNs,
    long machineSamples) {
  /** So few say nothing of one in a hundred. */
  static final long FEWEST_SAMPLES = 1000;

  /** The worse of the two, as so many times another. */
  double against(Waits other) {
    return Math.max(times(processNs, other.processNs), times(machineNs, other.machineNs));
  }

  private static double times(long ns, long otherNs) {
    return otherNs == 0 ? 0 : (double) ns / otherNs;
  }

  /** Whether there are enough of each victim. */
  boolean isEnough() {
    return processSamples >= FEWEST_SAMPLES && (machineNs == 0 || machineSamples >= FEWEST_SAMPLES);
  }

  String text() {
    String process =
        String.format(
            Locale.ROOT,
            "%.3f ms of %d, longest %.1f ms, %.2f %% lost",
            processNs / 1e6,
            processSamples,
            longestNs / 1e6,
            lost * 100);
    return machineNs == 0
        ? process
        : process
            + String.format(
                Locale.ROOT, ", in a machine %.3f ms of %d", machineNs / 1e6, machineSamples);
  }
}
