package io.sluice.migrate.machine;

import java.util.function.BooleanSupplier;

/**
 * The approach to a machine's stop, before access to its GPU is taken back. What takes long, such
 * as a compiler that works for one of its sessions, would keep the machine from its stop while its
 * GPU has nothing to do: that is waited for first, and not begun anew.
 *
 * <p>One thread uses it.
 */
public final class StopApproach {
  /** For how long: then access is taken back in spite of it. */
  public static final long PATIENCE_NS = 20_000_000_000L;

  /** After so long a machine that stands by has written more than it stands by with. */
  public static final long LONG_NS = 300_000_000;

  /** The part of the way that it has come. */
  private sealed interface Progress {
    /** It was not near yet. */
    record Far() implements Progress {}

    /** It was told that it is near. */
    record Near(long sinceNs) implements Progress {}

    /** Nothing is waited for any more. */
    record Made() implements Progress {}
  }

  private final LiveMachine machine;
  private final BooleanSupplier isNear;
  private final BooleanSupplier mayLookOnceMore;
  private final Runnable lookOnceMore;
  private Progress progress = new Progress.Far();

  /**
   * @param isNear whether it has so little left that it is worth while
   * @param mayLookOnceMore whether it stands by, and it would do no harm if it went on
   * @param lookOnceMore has it go on once more, for what it has written while it stood by
   */
  public StopApproach(
      LiveMachine machine,
      BooleanSupplier isNear,
      BooleanSupplier mayLookOnceMore,
      Runnable lookOnceMore) {
    this.machine = machine;
    this.isNear = isNear;
    this.mayLookOnceMore = mayLookOnceMore;
    this.lookOnceMore = lookOnceMore;
  }

  /** Tells the machine once it is near. */
  public void look(long nowNs) {
    if (progress instanceof Progress.Far && isNear.getAsBoolean()) {
      machine.approachStop();
      progress = new Progress.Near(nowNs);
    }
  }

  /** Whether something is waited for. */
  public boolean isWaiting() {
    return progress instanceof Progress.Near;
  }

  /**
   * Access is to be taken back: goes on with the approach. A machine that has stood by for long
   * goes on once more, to stand by with what it has written meanwhile.
   *
   * @return whether nothing is to be waited for any more, or the machine is not near yet
   */
  public boolean advance(long nowNs) {
    look(nowNs);
    if (!(progress instanceof Progress.Near(long sinceNs))) {
      return true;
    }
    long waitedNs = nowNs - sinceNs;
    if (!machine.isStopPrepared() && waitedNs < PATIENCE_NS) {
      return false;
    }
    progress = new Progress.Made();
    boolean onceMore = waitedNs >= LONG_NS && mayLookOnceMore.getAsBoolean();
    if (onceMore) {
      lookOnceMore.run();
    }
    return !onceMore;
  }
}
