package io.sluice.gpu;

import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The card's own work: the rounds of its runlist, and the sweeps of memory. */
final class CardEngine implements GpuEngine {
  private static final Logger LOG = LoggerFactory.getLogger(CardEngine.class);
  private static final long SWEEP_INTERVAL_NS = 1_000_000_000L;

  /** After something was thrown that no channel is known for, it may be thrown again at once. */
  private static final long PAUSE_AFTER_FAILURE_NS = 1_000_000;

  private static final long REPORT_INTERVAL_NS = 10_000_000_000L;

  private final Card card;
  private final BooleanSupplier isWanted;
  private long nextSweepNs;
  private long idleNs;
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
    card.lock().lock();
    try {
      return work(nowNs);
    } catch (RuntimeException | Error thrown) {
      goOn(nowNs, thrown);
      return 0;
    } finally {
      card.lock().unlock();
    }
  }

  private int work(long nowNs) {
    if (nowNs - nextSweepNs >= 0) {
      nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
      card.sweep();
    }
    int worked = card.runlist().round(nowNs, isWanted);
    idleNs = Math.min(card.runlist().nextLookInNs(), Math.max(0, nextSweepNs - nowNs));
    return worked;
  }

  /**
   * The GPU survives whatever is thrown: memory that a guest took away under its mapping, a host
   * without memory, a mistake of ours.
   */
  private void goOn(long nowNs, Throwable thrown) {
    idleNs = PAUSE_AFTER_FAILURE_NS;
    boolean known = false;
    try {
      known = card.runlist().recover();
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
