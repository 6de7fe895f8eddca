package io.sluice.channel.policy;

import io.sluice.channel.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The video memory of a guest's CUDA programs, which is of the guest's share, as its own buffers
 * are. It grows under the lock of the quotas alone, and shrinks at any time.
 */
@SuppressWarnings("GuardedBy") // by the lock of the quotas, which cannot be checked
final class ProgramMemory implements MemoryBudget {
  private final MemoryQuotas quotas;
  private final String guest;
  private final AtomicLong bytes = new AtomicLong();

  /** For what is about to be taken. */
  private long reserved;

  /** Whether the guest counts as using the GPU before it has taken anything. */
  private boolean wanting;

  ProgramMemory(MemoryQuotas quotas, String guest) {
    this.quotas = quotas;
    this.guest = guest;
  }

  String guest() {
    return guest;
  }

  /** Whether the guest uses the GPU by it. Under the lock. */
  boolean usesGpu() {
    return wanting || bytes.get() > 0;
  }

  /** What the guest's own buffers must leave. Under the lock. */
  long heldBytes() {
    return bytes.get() + reserved;
  }

  /**
   * Takes more, if the guest's share has room beside its own buffers, or these can be evicted.
   * Waits for a rebalance that another thread has begun, but not for long.
   */
  @Override
  public boolean take(long wanted) {
    return wanted >= 0 && quotas.underLock(() -> takeLocked(wanted));
  }

  private boolean takeLocked(long wanted) {
    boolean taken =
        quotas.has(this)
            && quotas.keepsMinimums(this, wanted)
            && (usesGpu() && grow(wanted) || growAfterRebalance(wanted));
    if (!taken) {
      quotas.refused(guest, wanted);
    }
    return taken;
  }

  /** The limit of the guest's own buffers falls first: so both together never have too much. */
  private boolean grow(long wanted) {
    long rest = quotas.share(guest) - bytes.get();
    if (wanted > rest) {
      return false;
    }
    if (!quotas.limitOwn(guest, rest - wanted)) {
      boolean _ = quotas.limitOwn(guest, rest);
      return false;
    }
    bytes.addAndGet(wanted);
    return true;
  }

  private boolean growAfterRebalance(long wanted) {
    if (wanted > quotas.shareIfUsing(guest) - bytes.get()) {
      return false; // what cannot become true is no reason to disturb others
    }
    wanting = true;
    reserved = wanted;
    try {
      MemoryQuotas.Moves _ = quotas.rebalance();
      return grow(wanted);
    } finally {
      reserved = 0;
      wanting = false;
      long _ = quotas.countOut(guest);
    }
  }

  @Override
  public void add(long more) {
    bytes.addAndGet(more);
    quotas.noteChange();
  }

  @Override
  public void giveBack(long taken) {
    bytes.addAndGet(-taken);
    quotas.noteChange();
  }

  @Override
  public long bytes() {
    return bytes.get();
  }

  /** The guest's share, without what its own buffers have of it. */
  @Override
  public long limitBytes() {
    long[] left = new long[1];
    boolean _ =
        quotas.underLock(() -> {
          left[0] = quotas.shareIfUsing(guest) - quotas.ownUse(guest).videoBytes();
          return true;
        });
    return Math.max(0, left[0]);
  }

  /** Evicts what others have beyond their shares. */
  @Override
  public boolean makeRoom() {
    return quotas.underLock(() -> quotas.rebalance().evicted() > 0);
  }
}
