package io.sluice.channel.nvidia.relay;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The use that all programs of a guest make of one kind of memory, and how much it may be. */
final class RelayUse {
  private final LongSupplier most;
  private final AtomicLong bytes = new AtomicLong();

  RelayUse(LongSupplier most) {
    this.most = most;
  }

  /** Takes as much, if it may be. */
  boolean take(long wanted) {
    long limit = most.getAsLong();
    long now = bytes.get();
    while (wanted >= 0 && wanted <= limit - now) {
      if (bytes.compareAndSet(now, now + wanted)) {
        return true;
      }
      now = bytes.get();
    }
    return false;
  }

  /** Takes as much, in any case. */
  void add(long more) {
    bytes.addAndGet(more);
  }

  void giveBack(long taken) {
    bytes.addAndGet(-taken);
  }

  long bytes() {
    return bytes.get();
  }
}
