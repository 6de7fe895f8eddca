package io.sluice.abi.signal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The signals to eventfds that one peer has, too, by a thread that others need, for as long as they
 * are prompt. Whoever waits for an eventfd is looked at within the signal, and a peer can have a
 * million wait (epoll entries, which an unprivileged process gets as kernel memory): that takes a
 * tenth of a second, with interrupts off. So what signals take beyond {@link #USUAL} is taken from
 * an allowance; when that is used up none is sent for {@link #PENALTY}, and the caller has a thread
 * of the peer's own do it. Where the host itself is shared, some in a hundred take longer for no
 * fault of the peer's: up to {@link #LONG}, as long as anybody may keep others waiting, it is the
 * average that counts.
 *
 * <p>What counts is processor time: a thread that others keep from the processor is not the peer's
 * doing. Since it costs something to ask for, it is measured from the first signal on that took
 * long by the clock.
 *
 * <p>Peers of one owner, who come and go, have one parent: the next ones are measured, or denied,
 * as the former one was.
 *
 * <p>Any thread may call; nothing is allocated.
 */
public final class PromptSignals {
  /** What a signal may take: some hundred waiters. */
  public static final Duration USUAL = Duration.ofNanos(20_000);

  /** What is more counts whole, however many others are short. */
  public static final Duration LONG = Duration.ofNanos(400_000);

  /** What all beyond that may take at once; a thousandth of it comes back in its own time. */
  public static final Duration MOST = Duration.ofMillis(20);

  /** How long none is sent after that. */
  public static final Duration PENALTY = Duration.ofMinutes(10);

  private static final int REFILL = 1000; // parts of the time that passes

  private static final long USUAL_NS = USUAL.toNanos();
  private static final long LONG_NS = LONG.toNanos();
  private static final long MOST_NS = MOST.toNanos();
  private static final long PENALTY_NS = PENALTY.toNanos();

  private final Kernel kernel;
  private final LongSupplier clock;
  private final @Nullable PromptSignals parent;
  private volatile long notBeforeNs;
  private volatile boolean measured;
  private volatile boolean indebted; // debtNs is not 0

  /** Of those up to LONG, beyond USUAL each on average. */
  @GuardedBy("this")
  private long debtNs;

  /** Of those beyond LONG. */
  @GuardedBy("this")
  private long spentNs;

  @GuardedBy("this")
  private long chargedNs;

  /**
   * @param clock monotonic time in nanoseconds
   */
  public PromptSignals(Kernel kernel, LongSupplier clock) {
    this(kernel, clock, null);
  }

  private PromptSignals(Kernel kernel, LongSupplier clock, @Nullable PromptSignals parent) {
    this.kernel = kernel;
    this.clock = clock;
    this.parent = parent;
    chargedNs = clock.getAsLong();
    notBeforeNs = parent == null ? chargedNs : parent.notBeforeNs;
    measured = parent != null && parent.measured;
  }

  /** Those of one more peer. */
  public PromptSignals child() {
    return new PromptSignals(kernel, clock, this);
  }

  /**
   * Signals as {@link Kernel#signalForeign} does.
   *
   * @return false when nothing is sent now, because it would not be prompt
   * @throws io.sluice.abi.SyscallException as that does
   */
  public boolean signal(Fd eventfd) {
    long beganNs = clock.getAsLong();
    if (beganNs - notBeforeNs < 0) {
      return false;
    }
    boolean measures = measured;
    long hadNs = measures ? kernel.processorTimeNs() : 0;
    kernel.signalForeign(eventfd);
    long nowNs = clock.getAsLong();
    long tookNs = nowNs - beganNs;
    if (tookNs <= USUAL_NS) { // what is short by the clock took no more of a processor
      if (indebted) {
        repay(USUAL_NS - tookNs);
      }
    } else {
      if (measures) {
        charge(nowNs, kernel.processorTimeNs() - hadNs);
      } else {
        suspect();
      }
    }
    return true;
  }

  private void suspect() {
    measured = true;
    if (parent != null) {
      parent.suspect();
    }
  }

  private synchronized void charge(long nowNs, long tookNs) {
    if (tookNs <= USUAL_NS) {
      return;
    }
    long refillNs = (nowNs - chargedNs) / REFILL;
    chargedNs = nowNs;
    spentNs = Math.max(0, spentNs - refillNs);
    debtNs = Math.max(0, debtNs - refillNs);
    if (tookNs <= LONG_NS) {
      debtNs += tookNs - USUAL_NS;
    } else {
      spentNs += tookNs;
    }
    if (spentNs > MOST_NS || debtNs > MOST_NS) {
      spentNs = 0;
      debtNs = 0;
      deny(nowNs + PENALTY_NS);
    }
    indebted = debtNs > 0;
  }

  private synchronized void repay(long ns) {
    debtNs = Math.max(0, debtNs - ns);
    indebted = debtNs > 0;
  }

  private void deny(long untilNs) {
    notBeforeNs = untilNs;
    if (parent != null) {
      parent.deny(untilNs);
    }
  }
}
