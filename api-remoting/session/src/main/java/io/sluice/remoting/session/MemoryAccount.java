package io.sluice.remoting.session;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The bytes of device memory that the sessions of a guest hold together, and their limit. */
public final class MemoryAccount {
  private final LongSupplier limitBytes;
  private final AtomicLong heldBytes = new AtomicLong();

  /**
   * @param limitBytes the limit, asked at each charge; it may change
   */
  public MemoryAccount(LongSupplier limitBytes) {
    this.limitBytes = limitBytes;
  }

  /**
   * Charges an object.
   *
   * @return false if that is beyond the limit; nothing is charged then
   */
  public boolean charge(long bytes) {
    if (bytes < 0) {
      return false;
    }
    long limit = limitBytes.getAsLong();
    while (true) {
      long held = heldBytes.get();
      if (bytes > limit - held) {
        return false;
      }
      if (heldBytes.compareAndSet(held, held + bytes)) {
        return true;
      }
    }
  }

  /** Gives back what was charged. */
  public void release(long bytes) {
    heldBytes.addAndGet(-bytes);
  }

  /** Bytes held. */
  public long heldBytes() {
    return heldBytes.get();
  }
}
