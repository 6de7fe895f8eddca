package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A report as text: outcome, headlines, phases, and the figures of each step. */
final class ReportText {
  private final StringBuilder out = new StringBuilder();

  private ReportText() {}

  static String of(MoveHistory report) {
    ReportText text = new ReportText();
    text.line("%s", report.outcome());
    report.last().ifPresent(status -> text.write(report, status));
    return text.out.toString();
  }

  private void write(MoveHistory report, MigrationStatus status) {
    failure(report, status);
    MoveContext context = report.context();
    fact("from", context.from() + versions(context));
    fact("to", context.to());
    fact("gpu", context.gpu());
    fact("began", Figure.moment(context.startedAt()));
    fact("took", Figure.time(report.elapsedNs()));
    fact("options", options(context.options()));
    fact("migration", status.id().toString());
    out.append('\n');
    headlines(report, status);
    out.append('\n');
    phases(report.spans());
    out.append('\n');
    steps(status);
  }

  private void failure(MoveHistory report, MigrationStatus status) {
    Optional<Reason> failed = status.reason().filter(reason -> !reason.code().isEmpty());
    failed.ifPresent(reason -> {
      line("  given up [%s]: %s", reason.code(), reason.what());
      if (!reason.remedy().isEmpty()) {
        line("  fix: %s", reason.remedy());
      }
    });
    if (status.phase() == Phase.ABORTED) {
      line("  it went on here after %s", Figure.time(report.wentOnNs()));
    }
  }

  static String versions(MoveContext context) {
    String programs =
        List.of(
                context.version().isEmpty() ? "" : "sluiced " + context.version(),
                context.machine())
            .stream()
            .filter(name -> !name.isEmpty())
            .collect(Collectors.joining(", "));
    return programs.isEmpty() ? "" : " (" + programs + ")";
  }

  static String options(Map<String, String> options) {
    return options.entrySet().stream()
        .map(option -> option.getKey() + "=" + option.getValue())
        .collect(Collectors.joining(" "));
  }

  private void headlines(MoveHistory report, MigrationStatus status) {
    if (status.machine().stands()) {
      fact("machine stood still", Figure.time(report.machinePausedNs()));
    }
    fact("GPU stood still", Figure.time(report.gpuPausedNs()));
    fact("sent", sent(status));
  }

  /** {@code 213.4 MiB, of it 201.0 MiB of the machine's own memory}. */
  static String sent(MigrationStatus status) {
    String all = Figure.bytes(status.allBytesSent());
    return status.machine().totalBytes() == 0
        ? all
        : all
            + ", of it "
            + Figure.bytes(status.machine().sentBytes())
            + " of the machine's own memory";
  }

  private void phases(List<MoveHistory.Span> spans) {
    line("  %12s  %-12s %12s  %s", "at, ms", "phase", "took, ms", "because");
    for (MoveHistory.Span span : spans) {
      line(
          "  %12s  %-12s %12s  %s",
          Figure.milliseconds(span.fromNs()),
          span.phase().label(),
          Figure.milliseconds(span.lengthNs()),
          span.reason());
    }
  }

  private void steps(MigrationStatus status) {
    MigrationFigures figures = status.figures();
    MigrationFigures.DetachFigures detach = figures.detach();
    line(
        "  access taken back: %s left, channels=%d running=%d pendingEntries=%d, drain expected %s",
        Figure.bytes(detach.leftBytes()),
        detach.channels(),
        detach.running(),
        detach.pendingEntries(),
        Figure.time(detach.expectedDrainNs()));
    MigrationFigures.StopFigures stop = figures.stop();
    String machine =
        status.machine().stands()
            ? ", the machine had stood for "
                + Figure.time(stop.stoodNs())
                + " when the last pass over video memory began"
            : "";
    line(
        "  stopped: the GPU had had nothing to do for %s%s; parked=%d ended=%d",
        Figure.time(stop.idleNs()), machine, stop.parked(), stop.ended());
    line(
        "  video memory: %s, passes=%d, %s sent, %s of it in the pause; %s compared, %s found by a"
            + " sample",
        Figure.bytes(status.bytesTotal()),
        status.pass(),
        pages(status.pagesSent()),
        pages(status.lastPassPages()),
        pages(status.pagesHashed()),
        pages(status.pagesSampledAway()));
    if (status.machine().stands()) {
      line(
          "  the machine's memory: %s, its GPU wrote %s of it again",
          Figure.bytes(status.machine().totalBytes()), Figure.bytes(status.guestPagesRedirtied()));
    }
    line(
        "  link: %s sent again after %d cuts",
        Figure.bytes(status.link().bytesRetransmitted()), status.link().reconnects());
    if (figures.sessions().count() > 0) {
      line(
          "  API sessions: %d moved, %s, the longest took no calls for %s",
          figures.sessions().count(),
          Figure.bytes(figures.sessions().bytes()),
          Figure.time(figures.sessions().stoodNs()));
      new TreeSet<>(figures.sessions().stayedAt())
          .forEach(place ->
              line(
                  "    of these %d by their near ends: they live at %s",
                  Collections.frequency(figures.sessions().stayedAt(), place), place));
    }
  }

  static String pages(long pages) {
    return pages == 1 ? "1 page" : pages + " pages";
  }

  private void fact(String name, String value) {
    if (!value.isEmpty()) {
      line("  %-20s  %s", name, value);
    }
  }

  private void line(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
