package io.sluice.migrate.engine;

import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.PeerSilence;
import io.sluice.migrate.phase.Phase;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The patience of a source: how long it waits for the other side, for the machine, and altogether.
 */
final class SourcePatience {
  private static final Logger LOG = LoggerFactory.getLogger(SourcePatience.class);

  /** The machine's last pass may take so many times as long as the link takes for what is left. */
  private static final int LAST_PASS_FACTOR = 4;

  private static final long MAX_LAST_PASS_NS = 60_000_000_000L;

  /** Less is no work: heartbeats are carried too. */
  private static final long STEP_BYTES = 64 << 10;

  /** The part of its time for which an engine may be silent when the guest is made to wait. */
  private static final int LATELY = 3;

  private final String guest;
  private final MigrationSettings settings;
  private final LinkRate rate;
  private final long startNs;
  private Phase seen = Phase.PREPARE;
  private long seenSteps;
  private PeerSilence stands;
  private boolean forced;

  SourcePatience(String guest, MigrationSettings settings, LinkRate rate, long startNs) {
    this.guest = guest;
    this.settings = settings;
    this.rate = rate;
    this.startNs = startNs;
    stands = new PeerSilence(startNs);
  }

  /**
   * Whether it is to be given up for the time that something takes: as {@link #withPeer}, {@link
   * #withWork} and {@link #altogether} say.
   */
  Optional<Reason> look(
      Phase phase, long linkNs, long engineNs, boolean ours, long carriedBytes, long nowNs) {
    return withPeer(phase, linkNs, engineNs)
        .or(() -> withWork(phase, ours, carriedBytes, nowNs))
        .or(() -> altogether(phase, nowNs));
  }

  /**
   * Whether the other side has been silent for too long.
   *
   * @param linkNs for which its host has said nothing
   * @param engineNs for which its engine has said nothing
   */
  Optional<Reason> withPeer(Phase phase, long linkNs, long engineNs) {
    boolean held = phase.holdsGuest();
    if (held && linkNs > settings.peer().host().toNanos()) {
      return Optional.of(silent("the destination is silent while the guest waits"));
    }
    Duration longest = held ? settings.peer().held() : settings.peer().running();
    String what =
        phase == Phase.PREPARE
            ? "the destination does not answer the offer"
            : "the destination is silent";
    return engineNs > longest.toNanos()
        ? Optional.of(silent(what + ", seconds=" + longest.toSeconds()))
        : Optional.empty();
  }

  /**
   * Whether the other side gets no further while the guest waits for nobody else: it may say all
   * the time that it is there, and take nothing or never be ready. Time in which this side stood
   * still does not count.
   *
   * @param ours whether this side has something left to do, for which the other one waits
   * @param carriedBytes that the other side's link has taken so far
   */
  Optional<Reason> withWork(Phase phase, boolean ours, long carriedBytes, long nowNs) {
    boolean waits =
        (phase == Phase.FINAL_COPY || phase == Phase.RESTORE) && !ours && !settings.keepSource();
    long steps = carriedBytes / STEP_BYTES;
    if (!waits || phase != seen || steps != seenSteps) {
      seen = phase;
      seenSteps = steps;
      stands = new PeerSilence(nowNs);
      return Optional.empty();
    }
    Duration longest = settings.peer().held();
    return stands.look(nowNs) > longest.toNanos()
        ? Optional.of(
            silent(
                "the destination answers and gets no further while the guest waits, seconds="
                    + longest.toSeconds()))
        : Optional.empty();
  }

  private static Reason silent(String what) {
    return new Reason(
        MigrationCode.TARGET_SILENT,
        what,
        "See whether its daemon runs and can be reached, and how loaded its host is.");
  }

  /**
   * Whether the other side can be relied on to act now: otherwise the guest is not made to wait.
   *
   * @param engineNs for which its engine has said nothing
   */
  boolean isHeard(long engineNs) {
    return engineNs <= settings.peer().held().toNanos() / LATELY;
  }

  /**
   * Whether the operator's time is over: why it is given up then, unless it is to be done all the
   * same.
   */
  Optional<Reason> altogether(Phase phase, long nowNs) {
    if (forced || !isOver(phase, nowNs)) {
      return Optional.empty();
    }
    if (settings.onTimeout() == OnTimeout.FORCE) {
      forced = true;
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("phase", phase.label())
          .log("the migration takes too long: what is left is copied while the machine stands");
      return Optional.empty();
    }
    return Optional.of(
        new Reason(
            MigrationCode.TIMEOUT,
            "the migration takes too long, seconds=" + settings.timeout().toSeconds(),
            "Try again with a longer --timeout, a faster link, or --on-timeout force."));
  }

  /** Whether the operator's time is over, and it is to be done all the same. */
  boolean isForced() {
    return forced;
  }

  private boolean isOver(Phase phase, long nowNs) {
    return !settings.timeout().isZero()
        && nowNs - startNs > settings.timeout().toNanos()
        && switch (phase) {
          case PREPARE -> settings.onTimeout() == OnTimeout.ABORT; // nothing to force yet
          case PRE_COPY, DETACH, DRAIN -> true;
          case FINAL_COPY, SWITCH_OVER, RESTORE, COMMIT, DONE, ABORTING, ABORTED -> false;
        };
  }

  /**
   * Whether the machine's last pass takes too long. The machine stands still meanwhile: what a live
   * peer takes several times over, and no more.
   *
   * @param passNs for how long it has lasted
   * @param leftBytes that it was to carry
   */
  Optional<Reason> withLastPass(long passNs, long leftBytes) {
    long expected = LAST_PASS_FACTOR * rate.durationNs(leftBytes);
    long longest = settings.peer().held().toNanos() + Math.min(MAX_LAST_PASS_NS, expected);
    return passNs > longest
        ? Optional.of(
            new Reason(
                MigrationCode.LAST_PASS,
                "the machine's last pass does not end, seconds=" + longest / 1_000_000_000,
                "See whether the destination's machine is frozen."))
        : Optional.empty();
  }
}
