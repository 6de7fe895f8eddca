package io.sluice.channel.nvidia;

import org.jspecify.annotations.Nullable;

/**
 * How long a channel has kept others from an engine. Thread blocks and copies are not interrupted,
 * so that a channel that does not leave the engine when told to keeps the others waiting. It is
 * told only while another guest waits: telling costs a fraction of a millisecond.
 */
final class Probe {
  private static final int TIMEOUT_US = 1000;

  private boolean stuck;
  private long sinceNs;

  /** Nanoseconds for which it has not left the engine; 0 when it did, or when nobody waits. */
  long lasted(NvidiaGuestGpu gpu, @Nullable HardwareChannel channel) {
    if (channel == null || channel.isDisabled() || !gpu.anotherGuestWaits()) {
      stuck = false;
      return 0;
    }
    long before = gpu.timeNs();
    if (channel.stopsWithin(TIMEOUT_US)) {
      stuck = false;
      return 0;
    }
    if (!stuck) {
      stuck = true;
      sinceNs = before;
    }
    return gpu.timeNs() - sinceNs;
  }
}
