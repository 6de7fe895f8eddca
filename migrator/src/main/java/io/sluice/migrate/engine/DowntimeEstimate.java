package io.sluice.migrate.engine;

import io.sluice.migrate.engine.DestinationCheck.Measured;

/**
 * The estimate of how long a machine would stand still for its GPU, before anything is known of
 * what it writes: at least for what is done in any case, at most as if all of its video memory had
 * been written between the last two passes. The machine's own memory comes on top; QEMU keeps that
 * below {@code --downtime} by itself.
 *
 * @param leastNs everything compared, nothing found, the guest built anew
 * @param mostNs and all of it sent
 */
public record DowntimeEstimate(long leastNs, long mostNs) {
  /** Comparing pages that are not in a cache: half of what P8 finds in one. */
  private static final double COMPARED_BYTES_PER_NS = 8;

  /** Save, build, the PCI function; docs/performance.md, P5. */
  private static final long BUILD_NS = 20_000_000;

  /** State and READY, the machine's own last pass, COMMIT and COMMITTED. */
  private static final int ROUND_TRIPS = 4;

  /** Of so many bytes of video memory over such a way. */
  public static DowntimeEstimate of(long memoryBytes, Measured way) {
    long least =
        BUILD_NS + ROUND_TRIPS * way.roundTripNs() + (long) (memoryBytes / COMPARED_BYTES_PER_NS);
    double rate = Math.max(1, way.bytesPerSecond());
    return new DowntimeEstimate(least, least + (long) Math.min(1e18, memoryBytes * 1e9 / rate));
  }
}
