package io.sluice.migrate.report;

import io.sluice.migrate.phase.Phase;
import java.util.List;
import java.util.Locale;

/** A report as one page of HTML: bytes over time, phases, and what the pause was made of. */
final class ReportHtml {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 260;
  private static final int BAR = 28;

  private ReportHtml() {}

  static String of(MigrationReport report) {
    StringBuilder out = new StringBuilder();
    out.append(
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Sluice migration report</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; }
        pre { background: #f4f4f4; padding: 1em; overflow-x: auto; }
        svg { background: #fcfcfc; border: 1px solid #ddd; }
        text { font: 12px system-ui, sans-serif; }
        </style></head><body><h1>Migration report</h1>
        """);
    out.append("<pre>").append(escape(report.text())).append("</pre>\n");
    List<MigrationReport.Sample> samples = report.samples();
    List<MigrationReport.Span> spans = report.spans();
    long end = Math.max(1, spans.isEmpty() ? 1 : last(spans).fromNs() + last(spans).lengthNs());
    out.append("<h2>Bytes over time</h2>\n");
    lines(out, samples, spans, end);
    out.append("<h2>Phases</h2>\n");
    bars(out, spans, 0, end);
    List<MigrationReport.Span> pause =
        spans.stream()
            .filter(span -> MigrationReport.isPause(span.phase()))
            .map(MigrationReport.Span::pause)
            .toList();
    if (!pause.isEmpty()) {
      out.append("<h2>What the pause was made of</h2>\n");
      long from = pause.getFirst().fromNs();
      bars(out, pause, from, last(pause).fromNs() + last(pause).lengthNs());
    }
    return out.append("</body></html>\n").toString();
  }

  private static MigrationReport.Span last(List<MigrationReport.Span> spans) {
    return spans.getLast();
  }

  private static void lines(
      StringBuilder out,
      List<MigrationReport.Sample> samples,
      List<MigrationReport.Span> spans,
      long end) {
    long most = 1;
    for (MigrationReport.Sample sample : samples) {
      most = Math.max(most, Math.max(sample.bytesSent(), sample.bytesLeft()));
    }
    open(out, HEIGHT);
    for (MigrationReport.Span span : spans) {
      rect(out, span, 0, end, 0, HEIGHT, 0.12);
    }
    polyline(out, samples, end, most, true);
    polyline(out, samples, end, most, false);
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"6\" y=\"16\">up to %.1f MiB; blue: sent on the link, red: left of the pass;"
                + " %.1f ms in all</text></svg>%n",
            most / 1048576.0,
            end / 1e6));
  }

  private static void polyline(
      StringBuilder out, List<MigrationReport.Sample> samples, long end, long most, boolean sent) {
    out.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"");
    out.append(sent ? "#1f77b4" : "#d62728").append("\" points=\"");
    for (MigrationReport.Sample sample : samples) {
      double x = (double) sample.atNs() / end * WIDTH;
      long value = sent ? sample.bytesSent() : sample.bytesLeft();
      double y = HEIGHT - 4 - (double) value / most * (HEIGHT - 28);
      out.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
    }
    out.append("\"/>\n");
  }

  private static void bars(
      StringBuilder out, List<MigrationReport.Span> spans, long from, long end) {
    open(out, spans.size() * BAR + 6);
    int y = 4;
    for (MigrationReport.Span span : spans) {
      rect(out, span, from, Math.max(end, from + 1), y, BAR - 6, 0.8);
      out.append(
          String.format(
              Locale.ROOT,
              "<text x=\"6\" y=\"%d\">%s %.3f ms</text>%n",
              y + BAR - 12,
              escape(span.phase().label()),
              span.lengthNs() / 1e6));
      y += BAR;
    }
    out.append("</svg>\n");
  }

  private static void open(StringBuilder out, int height) {
    out.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n",
            WIDTH,
            height,
            WIDTH,
            height));
  }

  private static void rect(
      StringBuilder out,
      MigrationReport.Span span,
      long from,
      long end,
      int y,
      int height,
      double opacity) {
    double scale = (double) WIDTH / (end - from);
    out.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\""
                + " opacity=\"%.2f\"/>%n",
            (span.fromNs() - from) * scale,
            y,
            Math.max(1, span.lengthNs() * scale),
            height,
            colour(span.phase()),
            opacity));
  }

  private static String colour(Phase phase) {
    return switch (phase) {
      case PREPARE -> "#c7c7c7";
      case PRE_COPY -> "#98df8a";
      case DETACH, DRAIN -> "#ffbb78";
      case FINAL_COPY -> "#ff9896";
      case SWITCH_OVER -> "#c5b0d5";
      case RESTORE -> "#aec7e8";
      case COMMIT -> "#dbdb8d";
      case DONE -> "#2ca02c";
      case ABORTING, ABORTED -> "#d62728";
    };
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
