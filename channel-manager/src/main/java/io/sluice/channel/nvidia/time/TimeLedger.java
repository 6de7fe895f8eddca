package io.sluice.channel.nvidia.time;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The account of GPU time. Looks tell who had an engine at a moment; the time between two looks
 * counts half as the one found it and half as the other.
 *
 * <p>How long the graphics engine was busy is measured by the GPU, in periods of a fifth of a
 * second that are told afterwards. What looks found there are claims until then: each period's busy
 * time is divided among them. Of other engines, and where the GPU does not tell, looks are all that
 * there is. Of one thread.
 */
public final class TimeLedger {
  /** Two looks further apart are as good as this: nobody knows what was between. */
  static final long LONGEST_NS = 250_000_000;

  /** Claims that are kept: those of some seconds. */
  private static final int MAX_CLAIMS = 4096;

  /**
   * The finding of a look about a guest and an engine.
   *
   * @param use whose; empty for somebody who is no guest
   * @param measured the GPU will tell how long the engine was busy
   * @param has part of the engine that it had, 0 to 1
   * @param waits part that it would have liked, and others had, 0 to 1
   */
  record TimeFinding(Optional<TimeUse> use, boolean measured, double has, double waits) {}

  /**
   * A period of which the graphics engine was busy for a part.
   *
   * @param fromNs GPU time
   * @param untilNs later
   * @param busyNs of these nanoseconds
   */
  record Period(long fromNs, long untilNs, double busyNs) {}

  private record Claim(long atNs, Optional<TimeUse> use, double ns) {}

  private final Deque<Claim> claims = new ArrayDeque<>();
  private List<TimeFinding> before = List.of();
  private long beforeNs;
  private long settledNs; // until when all is settled, GPU time
  private boolean wasBusy = true; // nobody has told yet

  /** Whether the latest period that was told had any work. */
  boolean wasBusy() {
    return wasBusy;
  }

  /** Whether periods are waited for. */
  boolean hasClaims() {
    return !claims.isEmpty();
  }

  /**
   * What a look found.
   *
   * @param nowNs GPU time; not before the last look
   */
  void note(long nowNs, List<TimeFinding> parts) {
    double half = Math.clamp(nowNs - beforeNs, 0, LONGEST_NS) / 2.0;
    before.forEach(part -> charge(part, half, nowNs - (long) (half * 3 / 2)));
    parts.forEach(part -> charge(part, half, nowNs - (long) (half / 2)));
    before = List.copyOf(parts);
    beforeNs = nowNs;
  }

  private void charge(TimeFinding part, double ns, long atNs) {
    part.use().ifPresent(use -> use.addWait(part.waits() * ns));
    if (part.has() <= 0 || ns <= 0) {
      return;
    }
    if (part.measured()) {
      claims.addLast(new Claim(atNs, part.use(), part.has() * ns));
      if (claims.size() > MAX_CLAIMS) {
        claims.removeFirst();
      }
    } else {
      part.use().ifPresent(use -> use.addGpu(part.has() * ns));
    }
  }

  /**
   * The GPU has told.
   *
   * @param periods in order; those that end before what is settled are left out
   */
  void settle(List<Period> periods) {
    for (Period period : periods) {
      if (period.untilNs() > settledNs) {
        divide(period, takeUntil(period));
        settledNs = period.untilNs();
        wasBusy = period.busyNs() > 0;
      }
    }
  }

  /** The GPU does not tell, after all: claims are believed. */
  void settleUnmeasured() {
    claims.forEach(claim -> claim.use().ifPresent(use -> use.addGpu(claim.ns())));
    claims.clear();
  }

  /** Claims of a period; those from before it are of times that nobody told of. */
  private List<Claim> takeUntil(Period period) {
    List<Claim> taken = new ArrayList<>();
    claims.removeIf(claim -> {
      if (claim.atNs() > period.fromNs() && claim.atNs() <= period.untilNs()) {
        taken.add(claim);
      }
      return claim.atNs() <= period.untilNs();
    });
    return taken;
  }

  private static void divide(Period period, List<Claim> among) {
    double whole = among.stream().mapToDouble(Claim::ns).sum();
    double length = (double) (period.untilNs() - period.fromNs());
    double busy = Math.clamp(period.busyNs(), 0, length);
    for (Claim claim : among) {
      claim.use().ifPresent(use -> use.addGpu(busy * claim.ns() / whole));
    }
  }
}
