package io.sluice.gpu;

import io.sluice.gpu.fifo.EngineStint;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The card's own work: the rounds of its runlist, and the sweeps of memory. Guarded by the card's
 * lock, but for what says otherwise.
 */
final class CardEngine implements GpuEngine {
  private static final Logger LOG = LoggerFactory.getLogger(CardEngine.class);
  private static final long SWEEP_INTERVAL_NS = 1_000_000_000L;

  /** After something was thrown that no channel is known for, it may be thrown again at once. */
  private static final long PAUSE_AFTER_FAILURE_NS = 1_000_000;

  /** When another thread runs the engine, this one looks again. */
  private static final long BUSY_NS = 1_000_000;

  private static final long REPORT_INTERVAL_NS = 10_000_000_000L;

  private final Card card;
  private final BooleanSupplier isWanted;
  private volatile @Nullable EngineStint stint;

  /** Threads in whose place another one works, and that were not told yet. */
  private final Set<Thread> relieved = new HashSet<>();

  private long nextSweepNs;
  private volatile long idleNs; // any thread may ask
  private long nextReportNs;
  private long failures;

  CardEngine(Card card) {
    this.card = card;
    this.isWanted = card.lock()::isWanted;
    long nowNs = card.clock().getAsLong();
    nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
    nextReportNs = nowNs;
  }

  @Override
  public int doWork(long nowNs) {
    Thread caller = Thread.currentThread();
    card.lock().lock();
    try {
      EngineStint mine = stintOf(caller);
      int worked = mine == null ? 0 : work(mine, nowNs);
      return relieved.remove(caller) ? SUPERSEDED : worked;
    } finally {
      card.lock().unlock();
    }
  }

  /** The calling thread's; null when another one is at work. */
  private @Nullable EngineStint stintOf(Thread caller) {
    EngineStint now = stint;
    if (now != null && now.isOf(caller)) {
      return now;
    }
    if (now != null && now.isInside() || relieved.contains(caller)) {
      idleNs = BUSY_NS;
      return null;
    }
    return begin(caller);
  }

  private EngineStint begin(Thread caller) {
    EngineStint begun = new EngineStint(caller, card.meter());
    stint = begun;
    return begun;
  }

  @Override
  public boolean relieve(long nowNs) {
    if (!isHeldUp(nowNs)) {
      return false;
    }
    card.lock().lock();
    try {
      EngineStint now = stint;
      if (now == null || !isHeldUp(nowNs)) {
        return false;
      }
      relieved.add(now.thread());
      begin(Thread.currentThread());
      return true;
    } finally {
      card.lock().unlock();
    }
  }

  @Override
  public int heldUpWorkers(long nowNs) {
    return card.multiprocessors().heldUp(nowNs);
  }

  @Override
  public boolean isComputing() {
    return card.multiprocessors().isComputing();
  }

  private boolean isHeldUp(long nowNs) {
    EngineStint now = stint;
    return now != null && card.runlist().isShared() && now.isHeldUp(nowNs);
  }

  private int work(EngineStint mine, long nowNs) {
    try {
      if (nowNs - nextSweepNs >= 0) {
        nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
        card.sweep();
      }
      int worked = card.runlist().round(mine, nowNs, isWanted);
      idleNs = Math.min(card.runlist().nextLookInNs(), Math.max(0, nextSweepNs - nowNs));
      return worked;
    } catch (RuntimeException | Error thrown) {
      goOn(mine, nowNs, thrown);
      return 0;
    }
  }

  /**
   * The GPU survives whatever is thrown: memory that a guest took away under its mapping, a host
   * without memory, a mistake of ours.
   */
  private void goOn(EngineStint mine, long nowNs, Throwable thrown) {
    idleNs = PAUSE_AFTER_FAILURE_NS;
    boolean known = false;
    try {
      known = card.runlist().recover(mine);
    } catch (RuntimeException | Error again) {
      thrown.addSuppressed(again);
    }
    failures++;
    if (nowNs - nextReportNs < 0) {
      return;
    }
    nextReportNs = nowNs + REPORT_INTERVAL_NS;
    LOG.atError()
        .setCause(thrown)
        .addKeyValue("channelEnded", known)
        .addKeyValue("times", failures)
        .log("the engine failed and goes on; said once in ten seconds at most");
  }

  @Override
  public long idleNs() {
    return idleNs;
  }
}
