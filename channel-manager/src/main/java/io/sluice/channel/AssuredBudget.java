package io.sluice.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * An amount that some share, who do not trust each other: half of it is theirs for certain, in
 * equal parts, the other half goes to whoever asks first. From any thread.
 */
public final class AssuredBudget {
  private final long assured;
  private final MemoryBudget rest;

  /**
   * @param most that all may have together
   * @param parts most that there are at one time
   */
  public AssuredBudget(long most, int parts) {
    assured = most / 2 / Math.max(1, parts);
    long others = most - assured * Math.max(1, parts);
    rest = MemoryBudget.upTo(() -> others);
  }

  /** One of the parts; all of it is given back before there is another in its place. */
  public MemoryBudget part() {
    return new Part();
  }

  private final class Part implements MemoryBudget {
    @GuardedBy("this")
    private long taken;

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
      if (bytes < 0 || bytes > limitBytes() - taken || !rest.take(moreOfRest(bytes))) {
        return false;
      }
      taken += bytes;
      return true;
    }

    @Override
    public synchronized void add(long bytes) {
      rest.add(moreOfRest(bytes));
      taken += bytes;
    }

    @Override
    public synchronized void giveBack(long bytes) {
      rest.giveBack(-moreOfRest(-bytes));
      taken -= bytes;
    }

    @Override
    public synchronized long bytes() {
      return taken;
    }

    @Override
    public long limitBytes() {
      return assured + rest.limitBytes();
    }
  }
}
