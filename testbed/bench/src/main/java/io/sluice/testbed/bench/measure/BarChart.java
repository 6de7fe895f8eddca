package io.sluice.testbed.bench.measure;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Bars of one or more parts, with an axis and a legend, as SVG that is light or dark as its page is
 * and that a change shows well in.
 *
 * @param title what the bars say
 * @param note how they were measured
 * @param unit of all values
 * @param series the names of a bar's parts, from the left; three at most
 * @param bars from above; those of a group stand together
 */
public record BarChart(
    String title, String note, String unit, List<String> series, List<Bar> bars) {
  private static final int WIDTH = 800;
  private static final int LABELS = 150;
  private static final int NUMBERS = 140;
  private static final int TOP = 92;
  private static final int ROW = 24;
  private static final int BAR = 14;
  private static final int AXIS = 34;

  /** Distances between the axis' marks, of a power of ten. */
  private static final List<Integer> STEPS = List.of(1, 2, 5, 10);

  private static final int MOST_STEPS = 6;

  private static final String STYLE =
      """
      <style>
        text { font: 13px system-ui, sans-serif; font-variant-numeric: tabular-nums; fill: #1d2433 }
        .title { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .faint { fill: #5c667a; font-size: 12px }
        .number { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
        .page { fill: #ffffff } .rule { stroke: #d9dee8 } .axis { stroke: #5c667a }
        .part0 { fill: #c2410c } .part1 { fill: #2563eb } .part2 { fill: #8d97aa }
        @media (prefers-color-scheme: dark) {
          text { fill: #e4e8f1 } .faint { fill: #99a3b8 } .number { stroke: #12161f }
          .page { fill: #12161f } .rule { stroke: #2c3446 } .axis { stroke: #99a3b8 }
          .part0 { fill: #fb923c } .part1 { fill: #6ea8fe } .part2 { fill: #6b7690 }
        }
      </style>
      """;

  /**
   * A bar.
   *
   * @param group what it belongs to, which is written once above it and its neighbours
   * @param parts not negative, as many as there are series
   */
  public record Bar(String group, String name, List<Double> parts) {
    double sum() {
      return parts.stream().mapToDouble(Double::doubleValue).sum();
    }

    private String numbers() {
      return parts.stream()
          .map(part -> String.format(Locale.ROOT, "%.0f", part))
          .collect(Collectors.joining(" + "));
    }
  }

  /** Draws. */
  public String svg() {
    StringBuilder rows = new StringBuilder();
    int y = TOP;
    String group = "";
    for (Bar bar : bars) {
      if (!bar.group().equals(group)) {
        group = bar.group();
        line(rows, "<text class=\"group\" x=\"16\" y=\"%d\">%s</text>", y + BAR, text(group));
        y += ROW;
      }
      draw(rows, bar, y);
      y += ROW;
    }
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
            + " aria-label=\"%s\">",
        WIDTH,
        y + AXIS,
        text(title));
    svg.append(STYLE);
    line(svg, "<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"8\"/>", WIDTH, y + AXIS);
    line(svg, "<text class=\"title\" x=\"16\" y=\"28\">%s</text>", text(title));
    line(svg, "<text class=\"faint\" x=\"16\" y=\"48\">%s</text>", text(note));
    legend(svg);
    axis(svg, y);
    return svg.append(rows).append("</svg>\n").toString();
  }

  private void draw(StringBuilder out, Bar bar, int y) {
    line(out, "<text x=\"28\" y=\"%d\">%s</text>", y + BAR - 2, text(bar.name()));
    double from = 0;
    for (int i = 0; i < bar.parts().size(); i++) {
      double to = from + bar.parts().get(i);
      line(
          out,
          "<rect class=\"part%d\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
          i,
          at(from),
          y,
          at(to) - at(from),
          BAR);
      from = to;
    }
    line(
        out,
        "<text class=\"number\" x=\"%.1f\" y=\"%d\">%s</text>",
        at(from) + 8,
        y + BAR - 2,
        bar.numbers());
  }

  private void legend(StringBuilder out) {
    if (series.size() < 2) {
      return;
    }
    int x = 16;
    for (int i = 0; i < series.size(); i++) {
      line(
          out,
          "<rect class=\"part%d\" x=\"%d\" y=\"62\" width=\"12\" height=\"12\" rx=\"2\"/>",
          i,
          x);
      line(out, "<text x=\"%d\" y=\"73\">%s</text>", x + 18, text(series.get(i)));
      x += 46 + 7 * series.get(i).length();
    }
  }

  private void axis(StringBuilder out, int bottom) {
    double step = step();
    IntStream.rangeClosed(0, (int) (most() / step))
        .forEach(i -> {
          double x = at(i * step);
          line(
              out,
              "<path class=\"%s\" d=\"M%.1f %d V%d\"/>",
              i == 0 ? "axis" : "rule",
              x,
              TOP - 6,
              bottom + 2);
          line(
              out,
              "<text class=\"faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f %s</text>",
              x,
              bottom + 20,
              i * step,
              text(unit));
        });
  }

  private double most() {
    return Math.max(1, bars.stream().mapToDouble(Bar::sum).max().orElse(1));
  }

  private double step() {
    double ten = Math.max(1, Math.pow(10, Math.floor(Math.log10(most() / MOST_STEPS))));
    return STEPS.stream()
        .mapToDouble(step -> step * ten)
        .filter(step -> most() / step <= MOST_STEPS)
        .findFirst()
        .orElse(most());
  }

  private double at(double value) {
    return LABELS + (WIDTH - LABELS - NUMBERS) * value / most();
  }

  private static String text(String any) {
    return any.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
