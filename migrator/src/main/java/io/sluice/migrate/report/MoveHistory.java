package io.sluice.migrate.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The history of a migration: how things stood from time to time, and what follows from that. */
final class MoveHistory {
  private static final long SAMPLE_NS = 20_000_000;

  /** When there are as many, every second one is dropped and half as many come from then on. */
  private static final int MAX_SAMPLES = 2000;

  private final long startNs;
  private final MoveContext context;

  @GuardedBy("this")
  private final List<Sample> samples = new ArrayList<>();

  @GuardedBy("this")
  private long intervalNs = SAMPLE_NS;

  @GuardedBy("this")
  private @Nullable MigrationStatus last;

  /**
   * A moment.
   *
   * @param atNs since the start
   * @param phase then
   * @param bytesSent so far, the machine's own memory included
   * @param bytesLeft in this pass, likewise
   * @param machineBytesSent of it, the machine's own memory
   * @param machineBytesLeft likewise; -1 unknown
   * @param rate bytes per second of all of it
   */
  record Sample(
      long atNs,
      Phase phase,
      long bytesSent,
      long bytesLeft,
      long machineBytesSent,
      long machineBytesLeft,
      long rate) {}

  /**
   * The span of a phase.
   *
   * @param pauseNs for so long of it the guest's GPU could not work
   */
  record Span(Phase phase, long fromNs, long lengthNs, long pauseNs, String reason) {
    long endNs() {
      return fromNs + lengthNs;
    }
  }

  /**
   * @param startNs of the clock that statuses are stamped with
   * @param context what is known beside them
   */
  MoveHistory(long startNs, MoveContext context) {
    this.startNs = startNs;
    this.context = context;
  }

  /** Takes note of how things stand. */
  synchronized void observe(MigrationStatus status) {
    MigrationStatus before = last;
    last = status;
    boolean changed = before == null || before.phase() != status.phase();
    long at = status.atNs() - startNs;
    if (!changed && !samples.isEmpty() && at - samples.getLast().atNs() < intervalNs) {
      return;
    }
    if (samples.size() == MAX_SAMPLES) {
      for (int i = samples.size() - 1; i > 0; i -= 2) {
        samples.remove(i);
      }
      intervalNs *= 2;
    }
    samples.add(
        new Sample(
            at,
            status.phase(),
            status.allBytesSent(),
            status.allBytesLeft(),
            status.machine().sentBytes(),
            status.machineBytesLeft(),
            status.rateBytesPerSecond()));
  }

  /**
   * How long the guest's GPU has stood still: from the end of what was submitted to its going on.
   */
  long gpuPausedNs() {
    return PausePart.gpuNs(pause());
  }

  /** How long the machine has stood still; 0 of a process, which does not. */
  long machinePausedNs() {
    return PausePart.machineNs(pause());
  }

  /**
   * How long it took from giving up until the guest's GPU and machine went on here, in nanoseconds;
   * 0 when it was not given up, or they have not yet.
   */
  synchronized long wentOnNs() {
    MigrationStatus status = last;
    return status == null ? 0 : Math.max(0, status.wentOnNs());
  }

  /** A guest that has gone on is not held by what is said about it. */
  private static long pauseNs(MigrationStatus status, Phase phase, long lengthNs) {
    if (!isPause(phase)) {
      return 0;
    }
    boolean goesOn = phase == Phase.ABORTING && status.wentOnNs() >= 0;
    return goesOn ? status.wentOnNs() : lengthNs;
  }

  static boolean isPause(Phase phase) {
    return switch (phase) {
      case FINAL_COPY, SWITCH_OVER, RESTORE, COMMIT, ABORTING -> true;
      case PREPARE, PRE_COPY, DETACH, DRAIN, DONE, ABORTED -> false;
    };
  }

  MoveContext context() {
    return context;
  }

  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }

  synchronized Optional<MigrationStatus> last() {
    return Optional.ofNullable(last);
  }

  /** How long it has lasted. */
  synchronized long elapsedNs() {
    MigrationStatus status = last;
    return status == null ? 0 : status.atNs() - startNs;
  }

  /** When it ended; empty while it goes on. */
  Optional<Instant> endedAt() {
    return last()
        .filter(status -> status.phase().isOver())
        .map(_ -> context.startedAt().plusNanos(elapsedNs()));
  }

  /** Each phase with its length; the one that has not ended lasts until the last look. */
  synchronized List<Span> spans() {
    List<Span> spans = new ArrayList<>();
    MigrationStatus status = last;
    if (status == null) {
      return spans;
    }
    List<PhaseLog.Entry<Phase>> entries = status.phases();
    for (int i = 0; i < entries.size(); i++) {
      PhaseLog.Entry<Phase> entry = entries.get(i);
      long end = i + 1 < entries.size() ? entries.get(i + 1).atNs() : status.atNs();
      long length = end - entry.atNs();
      spans.add(
          new Span(
              entry.phase(),
              entry.atNs() - startNs,
              length,
              pauseNs(status, entry.phase(), length),
              entry.reason()));
    }
    return spans;
  }

  /** What the standstills of GPU and machine were made of. */
  synchronized List<PausePart> pause() {
    MigrationStatus status = last;
    return status == null ? List.of() : PausePart.of(status, spans());
  }

  /** What came of it, such as {@code guest "web-01" has moved}. */
  String outcome() {
    Optional<MigrationStatus> found = last();
    if (found.isEmpty()) {
      return "nothing has happened yet";
    }
    MigrationStatus status = found.get();
    String guest = "guest \"" + status.guest() + "\" ";
    boolean copied = status.reason().filter(reason -> reason.code().isEmpty()).isPresent();
    return switch (status.phase()) {
      case DONE -> guest + "has moved";
      case ABORTED -> guest + (copied ? "was copied" : "was not moved");
      case PREPARE, PRE_COPY, DETACH, DRAIN, FINAL_COPY, SWITCH_OVER, RESTORE, COMMIT, ABORTING ->
          guest + "is being moved: " + status.phase().label();
    };
  }
}
