package io.sluice.testbed.bench.measure;

import java.util.Locale;
import java.util.Map;

/** Bars with names and numbers, as SVG that a person can read and a change shows well in. */
public final class BarChart {
  private static final int WIDTH = 640;
  private static final int ROW = 22;
  private static final int LABELS = 170;
  private static final int NUMBERS = 70;
  private static final int TOP = 34;

  private BarChart() {}

  /**
   * Draws.
   *
   * @param title what the numbers are, with their unit
   * @param values in the order of their bars; not negative
   */
  public static String of(String title, Map<String, Double> values) {
    double most = values.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    int height = TOP + ROW * values.size() + 8;
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"13\">",
        WIDTH,
        height);
    line(svg, "  <rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, height);
    line(svg, "  <text x=\"8\" y=\"20\" font-weight=\"bold\">%s</text>", title);
    int y = TOP;
    for (Map.Entry<String, Double> value : values.entrySet()) {
      double length = most == 0 ? 0 : (WIDTH - LABELS - NUMBERS) * value.getValue() / most;
      line(svg, "  <text x=\"8\" y=\"%d\">%s</text>", y + 14, value.getKey());
      line(
          svg,
          "  <rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"#4a7ab5\"/>",
          LABELS,
          y + 2,
          length,
          ROW - 6);
      line(
          svg,
          "  <text x=\"%.0f\" y=\"%d\">%.0f</text>",
          LABELS + length + 6,
          y + 14,
          value.getValue());
      y += ROW;
    }
    line(svg, "</svg>");
    return svg.toString();
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
