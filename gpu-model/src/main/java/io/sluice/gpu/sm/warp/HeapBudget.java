package io.sluice.gpu.sm.warp;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the host's heap that grids may take: those of one open of the GPU, as a part of
 * those of all. What a grid needs is taken before it is allocated. Any thread may take and give.
 */
public final class HeapBudget {
  private final long limitBytes;
  private final @Nullable HeapBudget whole;
  private final AtomicLong usedBytes = new AtomicLong();

  /** A budget of its own. */
  public HeapBudget(long limitBytes) {
    this(limitBytes, null);
  }

  /**
   * @param whole what all budgets of its kind may take together
   */
  public HeapBudget(long limitBytes, @Nullable HeapBudget whole) {
    this.limitBytes = limitBytes;
    this.whole = whole;
  }

  /** Bytes that are taken. */
  public long usedBytes() {
    return usedBytes.get();
  }

  private boolean reserve(long bytes) {
    if (usedBytes.addAndGet(bytes) > limitBytes) {
      usedBytes.addAndGet(-bytes);
      return false;
    }
    if (whole != null && !whole.reserve(bytes)) {
      usedBytes.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  private void give(long bytes) {
    usedBytes.addAndGet(-bytes);
    if (whole != null) {
      whole.give(bytes);
    }
  }

  /** The share of one worker of a grid; used by one thread at a time. */
  public final class Share {
    private long bytes;

    /** Takes more, unless the budget has no more. */
    public boolean tryTake(long more) {
      if (!reserve(more)) {
        return false;
      }
      bytes += more;
      return true;
    }

    /** Takes more. */
    void take(long more) {
      if (!tryTake(more)) {
        throw new Exhausted();
      }
    }

    public boolean isEmpty() {
      return bytes == 0;
    }

    /** Gives all of it back. */
    public void giveAll() {
      give(bytes);
      bytes = 0;
    }
  }

  /**
   * Ends a grid whose open has no bytes left. It carries no stack trace: it is no error of ours.
   */
  public static final class Exhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Exhausted() {
      super(null, null, false, false);
    }
  }
}
