package io.sluice.migrate.report;

import java.util.List;
import java.util.Locale;

/**
 * A picture of the page, in SVG: as wide as its text, with colours by class, so that the page's
 * apply.
 */
final class Picture {
  /** Of every picture, in its own units; text is 13 of them high. */
  static final int WIDTH = 800;

  private final StringBuilder out = new StringBuilder();

  Picture(int height, String title) {
    out.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
            WIDTH,
            height,
            escape(title)));
  }

  void box(String kind, double x, double y, double width, double height, String title) {
    out.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
                + "<title>%s</title></rect>%n",
            kind,
            x,
            y,
            Math.max(0.75, width),
            height,
            escape(title)));
  }

  void line(String kind, double x1, double y1, double x2, double y2) {
    out.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            kind,
            x1,
            y1,
            x2,
            y2));
  }

  /**
   * @param anchor start, middle or end
   */
  void text(String anchor, double x, double y, String text) {
    out.append(
        String.format(
            Locale.ROOT,
            "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n",
            anchor,
            x,
            y,
            escape(text)));
  }

  /** A line through points; each is x, y. */
  void curve(String kind, List<double[]> points) {
    out.append("<polyline class=\"").append(kind).append("\" points=\"");
    for (double[] point : points) {
      out.append(String.format(Locale.ROOT, "%.1f,%.1f ", point[0], point[1]));
    }
    out.append("\"/>\n");
  }

  /** An axis of time below, with marks, which reach up to a height, and their values. */
  void timeAxis(Scale scale, double top, double bottom, double unitNs, String unit) {
    List<Double> ticks = new Scale(scale.from() / unitNs, scale.to() / unitNs, 0, 1).ticks(8);
    for (double tick : ticks) {
      double x = scale.at(tick * unitNs);
      line("grid", x, top, x, bottom);
      text("middle", x, bottom + 16, number(tick, ticks));
    }
    line("axis", scale.start(), bottom, scale.end(), bottom);
    text("end", scale.end(), bottom + 32, unit);
  }

  /** An axis of amounts at the left, with marks up to the right. */
  void byteAxis(Scale scale, double left, double right) {
    double unit = scale.to() >= 1L << 30 ? 1L << 30 : scale.to() >= 1L << 20 ? 1L << 20 : 1L << 10;
    String name = unit == 1L << 30 ? "GiB" : unit == 1L << 20 ? "MiB" : "KiB";
    List<Double> ticks = new Scale(0, scale.to() / unit, 0, 1).ticks(4);
    for (double tick : ticks) {
      double y = scale.at(tick * unit);
      line("grid", left, y, right, y);
      text("end", left - 8, y + 4, number(tick, ticks));
    }
    text("end", left - 8, scale.end() - 10, name);
  }

  /** As many digits as the step needs. */
  private static String number(double value, List<Double> ticks) {
    double step = ticks.size() < 2 ? 1 : ticks.get(1) - ticks.get(0);
    int digits = (int) Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    return String.format(Locale.ROOT, "%." + digits + "f", value == 0 ? 0.0 : value);
  }

  String end() {
    return out.append("</svg>\n").toString();
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
