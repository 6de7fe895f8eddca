package io.sluice.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * An amount that some share, who do not trust each other: half of it is theirs for certain, in
 * equal parts, the other half goes to whoever asks first. From any thread.
 */
public final class AssuredBudget {
  private final long assured;
  private final MemoryBudget rest;
  private final MemoryBudget whole;

  /**
   * @param most that all may have together
   * @param parts most that there are at one time
   */
  public AssuredBudget(long most, int parts) {
    this(most, parts, MemoryBudget.upTo(() -> Long.MAX_VALUE));
  }

  /**
   * @param whole what all have is also a part of this, which may have less
   */
  public AssuredBudget(long most, int parts, MemoryBudget whole) {
    this.whole = whole;
    assured = most / 2 / Math.max(1, parts);
    long others = most - assured * Math.max(1, parts);
    rest = MemoryBudget.upTo(() -> others);
  }

  /** One of the parts; all of it is given back before there is another in its place. */
  public MemoryBudget part() {
    return part(Long.MAX_VALUE);
  }

  /** The same, for one that takes no more than so much. */
  public MemoryBudget part(long most) {
    return new Part(most);
  }

  private final class Part implements MemoryBudget {
    private final long most;

    @GuardedBy("this")
    private long taken;

    Part(long most) {
      this.most = most;
    }

    private static long beyond(long bytes, long assured) {
      return Math.max(0, bytes - assured);
    }

    /** What more of the rest goes with more that is taken. */
    @GuardedBy("this")
    private long moreOfRest(long more) {
      return beyond(taken + more, assured) - beyond(taken, assured);
    }

    @Override
    public synchronized boolean take(long bytes) {
      if (bytes < 0 || bytes > limitBytes() - taken || !whole.take(bytes)) {
        return false;
      }
      if (!rest.take(moreOfRest(bytes))) {
        whole.giveBack(bytes);
        return false;
      }
      taken += bytes;
      return true;
    }

    @Override
    public synchronized void add(long bytes) {
      whole.add(bytes);
      rest.add(moreOfRest(bytes));
      taken += bytes;
    }

    @Override
    public synchronized void giveBack(long bytes) {
      rest.giveBack(-moreOfRest(-bytes));
      whole.giveBack(bytes);
      taken -= bytes;
    }

    @Override
    public synchronized long bytes() {
      return taken;
    }

    @Override
    public long limitBytes() {
      return Math.min(most, assured + rest.limitBytes());
    }
  }
}
