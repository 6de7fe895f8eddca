package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A report as one page of HTML, which needs nothing else: headlines, the whole time, its end, what
 * the pause was made of, and all figures. Light or dark as its reader's browser is.
 */
final class ReportHtml {
  /** The shortest end that is shown by itself. */
  private static final long ZOOM_NS = 20_000_000;

  private final MoveHistory report;
  private final StringBuilder out = new StringBuilder();

  private ReportHtml(MoveHistory report) {
    this.report = report;
  }

  static String of(MoveHistory report) {
    ReportHtml page = new ReportHtml(report);
    String title = Picture.escape(report.outcome());
    page.out.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    page.out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.out.append("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.out.append("<title>").append(title).append("</title>\n<style>\n");
    page.out.append(style()).append("</style></head><body>\n<h1>").append(title);
    page.out.append("</h1>\n");
    report.last().ifPresent(page::write);
    return page.out.append("</body></html>\n").toString();
  }

  private static String style() {
    try (InputStream in =
        Objects.requireNonNull(ReportHtml.class.getResourceAsStream("report.css"), "report.css")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(MigrationStatus status) {
    MoveContext context = report.context();
    way(context);
    status
        .reason()
        .filter(reason -> !reason.code().isEmpty())
        .ifPresent(reason -> failure(reason, status));
    tiles(status);
    plots(status);
    phases();
    out.append("<h2>Figures</h2>\n<div class=\"columns\">\n");
    figures(status);
    out.append("</div>\n<footer>").append(Picture.escape(attempt(status, context)));
    out.append("</footer>\n");
  }

  private void way(MoveContext context) {
    String from = context.from().isEmpty() ? "this host" : context.from();
    out.append("<p class=\"way\"><b>").append(Picture.escape(from)).append("</b> → <b>");
    out.append(Picture.escape(context.to())).append("</b><br>");
    out.append(Figure.moment(context.startedAt()));
    out.append(", ").append(Figure.time(report.elapsedNs()));
    String options = ReportText.options(context.options());
    out.append(options.isEmpty() ? ", no options given" : ", options: " + Picture.escape(options));
    out.append("</p>\n");
  }

  private static String attempt(MigrationStatus status, MoveContext context) {
    return "migration "
        + status.id()
        + ReportText.versions(context)
        + (context.gpu().isEmpty() ? "" : ", GPU " + context.gpu())
        + (status.agreedVersion() == 0 ? "" : ", protocol " + status.agreedVersion());
  }

  private void failure(Reason reason, MigrationStatus status) {
    out.append("<div class=\"failure\"><b>Given up</b>: ").append(Picture.escape(reason.what()));
    out.append(" <code>").append(Picture.escape(reason.code())).append("</code>");
    if (!reason.remedy().isEmpty()) {
      out.append("<br>").append(Picture.escape(reason.remedy()));
    }
    if (status.phase() == Phase.ABORTED) {
      out.append("<br>It went on here after ").append(Figure.time(report.wentOnNs())).append('.');
    }
    out.append("</div>\n");
  }

  private void tiles(MigrationStatus status) {
    out.append("<div class=\"tiles\">\n");
    if (status.machine().stands()) {
      tile("machine stood still", Figure.time(report.machinePausedNs()), "");
    }
    tile("GPU stood still", Figure.time(report.gpuPausedNs()), "");
    tile("took", Figure.time(report.elapsedNs()), "");
    tile(
        "sent",
        Figure.bytes(status.allBytesSent()),
        status.machine().totalBytes() == 0
            ? ""
            : Figure.bytes(status.machine().sentBytes()) + " of it the machine's memory");
    out.append("</div>\n");
  }

  private void tile(String name, String value, String more) {
    out.append("<div><span>").append(name).append("</span><strong>").append(value);
    out.append("</strong><small>").append(Picture.escape(more)).append("</small></div>\n");
  }

  private void plots(MigrationStatus status) {
    boolean stands = status.machine().stands();
    long end = Math.max(1, report.elapsedNs());
    out.append(
        "<h2>The whole time</h2>\n<p class=\"legend\"><span class=\"swatch l-left\"></span>");
    out.append("left of this pass <span class=\"swatch l-sent\"></span>sent so far");
    out.append(stands ? "; both with the machine's own memory</p>\n" : "</p>\n");
    out.append(new TimePlot(report, 0, end, stands).draw("bytes over time", true));
    List<PausePart> pause = report.pause();
    if (pause.isEmpty()) {
      return;
    }
    long zoom = zoomFrom(end);
    if (zoom > 0) {
      out.append("<h2>The last ").append(Figure.time(end - zoom)).append("</h2>\n");
      out.append(
          "<p class=\"legend\"><span class=\"swatch l-left\"></span>left of this pass</p>\n");
      out.append(new TimePlot(report, zoom, end, stands).draw("the end of it", false));
    }
    out.append("<h2>What the pause was made of</h2>\n").append(PausePlot.draw(pause, stands));
  }

  /** So much of the end that drain and pause are a third of it; 0 when that is most of all. */
  private long zoomFrom(long end) {
    long begun =
        report.spans().stream()
            .filter(span -> span.phase() == Phase.DETACH || MoveHistory.isPause(span.phase()))
            .mapToLong(MoveHistory.Span::fromNs)
            .findFirst()
            .orElse(end);
    long from = end - Math.max(ZOOM_NS, 3 * (end - begun));
    return from < end / 3 ? 0 : from;
  }

  private void phases() {
    out.append("<h2>Phases</h2>\n<table class=\"figures\"><thead><tr><th></th><th>phase</th>");
    out.append("<th class=\"n\">at, ms</th><th class=\"n\">took, ms</th><th>because</th>");
    out.append("</tr></thead><tbody>\n");
    for (MoveHistory.Span span : report.spans()) {
      out.append(
          String.format(
              Locale.ROOT,
              "<tr><td><span class=\"swatch k-%s\"></span></td><td>%s</td>"
                  + "<td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td></tr>%n",
              span.phase().label(),
              span.phase().label(),
              Figure.milliseconds(span.fromNs()),
              span.phase().isOver() ? "–" : Figure.milliseconds(span.lengthNs()),
              Picture.escape(span.reason())));
    }
    out.append("</tbody></table>\n");
  }

  private void figures(MigrationStatus status) {
    MigrationFigures.DetachFigures detach = status.figures().detach();
    group(
        "When access was taken back",
        Map.entry("left to copy", Figure.bytes(detach.leftBytes())),
        Map.entry("channels", "" + detach.channels()),
        Map.entry("of them running a command", "" + detach.running()),
        Map.entry("entries pending", "" + detach.pendingEntries()),
        Map.entry("drain expected", Figure.time(detach.expectedDrainNs())),
        Map.entry("channels parked", "" + status.figures().stop().parked()),
        Map.entry("channels ended", "" + status.figures().stop().ended()));
    group(
        "Video memory",
        Map.entry("held", Figure.bytes(status.bytesTotal())),
        Map.entry("passes", "" + status.pass()),
        Map.entry("pages sent", "" + status.pagesSent()),
        Map.entry("of them in the pause", "" + status.lastPassPages()),
        Map.entry("pages compared", "" + status.pagesHashed()),
        Map.entry("found by a sample", "" + status.pagesSampledAway()));
    if (status.machine().stands()) {
      group(
          "The machine's own memory",
          Map.entry("all of it", Figure.bytes(status.machine().totalBytes())),
          Map.entry("sent", Figure.bytes(status.machine().sentBytes())),
          Map.entry(
              "left for the last pass",
              Figure.bytes(Math.max(0, status.figures().saving().machineBytesLeft()))),
          Map.entry("written again by the GPU", Figure.bytes(status.guestPagesRedirtied())),
          Map.entry("API sessions", "" + status.figures().sessions().count()));
    }
    group(
        "Link",
        Map.entry("rate", Figure.bytes(status.rateBytesPerSecond()) + "/s"),
        Map.entry("sent on it", Figure.bytes(status.link().bytesSent())),
        Map.entry("sent again", Figure.bytes(status.link().bytesRetransmitted())),
        Map.entry("cuts mended", "" + status.link().reconnects()));
  }

  @SafeVarargs
  private void group(String name, Map.Entry<String, String>... figures) {
    out.append("<table class=\"group\"><caption>").append(name).append("</caption>\n");
    for (Map.Entry<String, String> figure : figures) {
      out.append("<tr><td>").append(figure.getKey()).append("</td><td class=\"n\">");
      out.append(Picture.escape(figure.getValue())).append("</td></tr>\n");
    }
    out.append("</table>\n");
  }
}
