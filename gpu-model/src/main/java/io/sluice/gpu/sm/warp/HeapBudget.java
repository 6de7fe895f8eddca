package io.sluice.gpu.sm.warp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the host's heap that grids may take: those of one open of the GPU, of which some are
 * its own, and the rest a part of what all opens have in common. So however much others take
 * together, an open has its own. What a grid needs is taken before it is allocated. Any thread may
 * take and give.
 */
public final class HeapBudget {
  private final long limitBytes;
  private final long ownBytes;
  private final @Nullable HeapBudget common;

  @GuardedBy("this")
  private long usedBytes;

  /** A budget of its own. */
  public HeapBudget(long limitBytes) {
    this(limitBytes, limitBytes, null);
  }

  /**
   * @param limitBytes most that may be taken
   * @param ownBytes of that, what is not taken from the common budget
   * @param common where the rest comes from
   */
  public HeapBudget(long limitBytes, long ownBytes, @Nullable HeapBudget common) {
    this.limitBytes = limitBytes;
    this.ownBytes = ownBytes;
    this.common = common;
  }

  /** Most that may be taken. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Bytes that are taken. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  private synchronized boolean reserve(long bytes) {
    if (bytes > limitBytes - usedBytes) {
      return false;
    }
    if (common != null && !common.reserve(beyondOwn(usedBytes + bytes) - beyondOwn(usedBytes))) {
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  private synchronized void give(long bytes) {
    if (common != null) {
      common.give(beyondOwn(usedBytes) - beyondOwn(usedBytes - bytes));
    }
    usedBytes -= bytes;
  }

  private long beyondOwn(long bytes) {
    return Math.max(0, bytes - ownBytes);
  }

  /** The share of one worker of a grid; used by one thread at a time. */
  public final class WorkerShare {
    private long bytes;

    /** Takes more, unless the budget has no more. */
    public boolean tryTake(long more) {
      if (!reserve(more)) {
        return false;
      }
      bytes += more;
      return true;
    }

    /**
     * Takes more.
     *
     * @throws Exhausted when the budget has no more
     */
    public void take(long more) {
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
   * The end of a grid whose open has no bytes left. It carries no stack trace: it is no error of
   * ours.
   */
  public static final class Exhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Exhausted() {
      super(null, null, false, false);
    }
  }
}
