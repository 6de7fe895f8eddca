package io.sluice.migrate.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The report of a migration, which it watches: as text, as JSON, or as a page of HTML that needs
 * nothing else. It is there also when the migration failed, and while it goes on.
 */
public final class MigrationReport {
  private static final long SAMPLE_NS = 20_000_000;

  /** When there are as many, every second one is dropped and half as many come from then on. */
  private static final int MAX_SAMPLES = 2000;

  private final long startNs;

  @GuardedBy("this")
  private final List<Sample> samples = new ArrayList<>(); // by this

  @GuardedBy("this")
  private long intervalNs = SAMPLE_NS; // by this

  @GuardedBy("this")
  private @Nullable MigrationStatus last;

  /**
   * A moment.
   *
   * @param atNs since the start
   * @param phase then
   * @param bytesSent on the link so far
   * @param bytesLeft of video memory in this pass
   * @param rate of the link, bytes per second
   */
  record Sample(long atNs, Phase phase, long bytesSent, long bytesLeft, long rate) {}

  /**
   * The span of a phase.
   *
   * @param pauseNs for so long of it the GPU stood still for the guest
   */
  record Span(Phase phase, long fromNs, long lengthNs, long pauseNs, String reason) {
    /** Without what comes after the pause. */
    Span pause() {
      return new Span(phase, fromNs, pauseNs, pauseNs, reason);
    }
  }

  /**
   * @param startNs of the clock that statuses are stamped with
   */
  public MigrationReport(long startNs) {
    this.startNs = startNs;
  }

  /** Takes note of how things stand. */
  public synchronized void observe(MigrationStatus status) {
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
            status.link().bytesSent(),
            status.bytesLeft(),
            status.rateBytesPerSecond()));
  }

  /** How long the GPU has stood still for the guest: from the end of the drain to its going on. */
  public synchronized long gpuPausedNs() {
    return spans().stream().mapToLong(Span::pauseNs).sum();
  }

  /**
   * How long it took from giving up until the guest's GPU and machine went on here, in nanoseconds;
   * 0 when it was not given up, or they have not yet.
   */
  public synchronized long wentOnNs() {
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

  synchronized List<Sample> samples() {
    return List.copyOf(samples);
  }

  synchronized Optional<MigrationStatus> last() {
    return Optional.ofNullable(last);
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

  /** For people. */
  public String text() {
    Optional<MigrationStatus> found = last();
    if (found.isEmpty()) {
      return "nothing has happened yet\n";
    }
    MigrationStatus status = found.get();
    StringBuilder out = new StringBuilder();
    out.append("migration ").append(status.id()).append(" of guest ").append(status.guest());
    out.append(": ").append(status.phase().label()).append('\n');
    status.reason().filter(r -> !r.code().isEmpty()).ifPresent(r -> append(out, r));
    if (status.phase() == Phase.ABORTED) {
      out.append(
          String.format(Locale.ROOT, "  the guest went on here after %.3f ms%n", wentOnNs() / 1e6));
    }
    for (Span span : spans()) {
      out.append(
          String.format(
              Locale.ROOT,
              "  %10.3f ms  %-12s %10.3f ms  %s%n",
              span.fromNs() / 1e6,
              span.phase().label(),
              span.lengthNs() / 1e6,
              span.reason()));
    }
    out.append(
        String.format(
            Locale.ROOT,
            "  GPU stood still %.3f ms; video memory %d bytes in %d passes, %d pages sent, %d in the"
                + " pause%n  %d pages compared, %d found by a sample; guest memory re-dirtied %d"
                + " bytes%n  link: %d bytes sent, %d again after %d cuts%n",
            gpuPausedNs() / 1e6,
            status.bytesTotal(),
            status.pass(),
            status.pagesSent(),
            status.lastPassPages(),
            status.pagesHashed(),
            status.pagesSampledAway(),
            status.guestPagesRedirtied(),
            status.link().bytesSent(),
            status.link().bytesRetransmitted(),
            status.link().reconnects()));
    append(out, status.figures());
    return out.toString();
  }

  private static void append(StringBuilder out, MigrationFigures figures) {
    MigrationFigures.Detach detach = figures.detach();
    MigrationFigures.Stop stop = figures.stop();
    MigrationFigures.Saving saving = figures.saving();
    out.append(
        String.format(
            Locale.ROOT,
            "  access taken back: left=%d expectedDrainNs=%d channels=%d running=%d"
                + " pendingEntries=%d%n  machine stopped: idleNs=%d settleNs=%d stoodNs=%d"
                + " drainPages=%d settledPages=%d touchedByGuest=%b parked=%d ended=%d%n  saved:"
                + " deviceNs=%d redirtyNs=%d%n  API sessions: moved=%d bytes=%d stoodNs=%d%n",
            detach.leftBytes(),
            detach.expectedDrainNs(),
            detach.channels(),
            detach.running(),
            detach.pendingEntries(),
            stop.idleNs(),
            stop.settleNs(),
            stop.stoodNs(),
            stop.drainPages(),
            stop.settledPages(),
            stop.touchedByGuest(),
            stop.parked(),
            stop.ended(),
            saving.deviceNs(),
            saving.redirtyNs(),
            figures.sessions().count(),
            figures.sessions().bytes(),
            figures.sessions().stoodNs()));
  }

  private static void append(StringBuilder out, Reason reason) {
    out.append("  given up [").append(reason.code()).append("]: ").append(reason.what());
    out.append('\n');
    if (!reason.remedy().isEmpty()) {
      out.append("  fix: ").append(reason.remedy()).append('\n');
    }
  }

  /** For programs; {@code version} changes when a field changes its meaning. */
  public String json() {
    return ReportJson.of(this);
  }

  /** For people with a browser: one file, with plots. */
  public String html() {
    return ReportHtml.of(this);
  }
}
