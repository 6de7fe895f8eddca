package io.sluice.migrate.phase;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place that changes a side's phase: each change is checked against the table, logged, kept
 * with its time and reason, and told.
 *
 * @param <P> {@link Phase} or {@link TargetPhase}
 */
public final class PhaseLog<P extends Enum<P>> {
  private static final Logger LOG = LoggerFactory.getLogger(PhaseLog.class);

  /** An observer is told of each change, by the thread that makes it. */
  @FunctionalInterface
  public interface Observer<P> {
    /** The side is in a phase now. */
    void entered(P phase, String reason);
  }

  /**
   * A change.
   *
   * @param phase that began
   * @param atNs of the clock the side is run with
   * @param reason why
   */
  public record Entry<P>(P phase, long atNs, String reason) {}

  private volatile String name;
  private final BiPredicate<P, P> canBecome;
  private final Observer<P> observer;
  private final List<Entry<P>> entries = new ArrayList<>();
  private volatile P phase;

  /**
   * @param name of the guest, for the log
   * @param first the phase it begins in
   * @param canBecome the table
   */
  public PhaseLog(
      String name, P first, long nowNs, BiPredicate<P, P> canBecome, Observer<P> observer) {
    this.name = name;
    this.canBecome = canBecome;
    this.observer = observer;
    phase = first;
    entries.add(new Entry<>(first, nowNs, "asked for"));
  }

  /** The guest is known now, which it was not at the beginning. */
  public void setName(String guest) {
    name = guest;
  }

  /** Where it stands. */
  public P phase() {
    return phase;
  }

  /**
   * Changes the phase.
   *
   * @throws AssertionError when the table has no such change
   */
  public void transition(P next, long nowNs, String reason) {
    P from = phase;
    if (!canBecome.test(from, next)) {
      throw new AssertionError("no such transition, from=" + from + " to=" + next);
    }
    synchronized (entries) {
      entries.add(new Entry<>(next, nowNs, reason));
    }
    phase = next;
    LOG.atInfo()
        .addKeyValue("guest", name)
        .addKeyValue("from", from)
        .addKeyValue("to", next)
        .addKeyValue("reason", reason)
        .log("migration phase");
    observer.entered(next, reason);
  }

  /** Every change so far, oldest first. */
  public ImmutableList<Entry<P>> entries() {
    synchronized (entries) {
      return ImmutableList.copyOf(entries);
    }
  }
}
