package io.sluice.channel;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A budget of its own, up to an amount that may change. */
final class BoundedBudget implements MemoryBudget {
  private final LongSupplier most;
  private final AtomicLong bytes = new AtomicLong();

  BoundedBudget(LongSupplier most) {
    this.most = most;
  }

  @Override
  public boolean take(long wanted) {
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

  @Override
  public void add(long more) {
    bytes.addAndGet(more);
  }

  @Override
  public void giveBack(long taken) {
    bytes.addAndGet(-taken);
  }

  @Override
  public long bytes() {
    return bytes.get();
  }

  @Override
  public long limitBytes() {
    return most.getAsLong();
  }
}
