package io.sluice.migrate.report;

import java.util.List;
import java.util.Locale;

/**
 * The plot of what a standstill was made of: a bar for the GPU and one for the machine on one axis,
 * and a table with each part and the sum.
 */
final class PausePlot {
  private static final int LEFT = 84;
  private static final int RIGHT = Picture.WIDTH - 84;
  private static final int BAR = 30;
  private static final int TOP = 8;

  private PausePlot() {}

  /**
   * @param parts at least one
   */
  static String draw(List<PausePart> parts, boolean stands) {
    long from = parts.getFirst().fromNs();
    long to = parts.getLast().fromNs() + parts.getLast().lengthNs();
    int bottom = TOP + (stands ? 2 : 1) * (BAR + 8);
    Picture picture = new Picture(bottom + 40, "what the pause was made of");
    Scale time = new Scale(0, to - from, LEFT, RIGHT);
    picture.timeAxis(
        time,
        TOP,
        bottom,
        1e6,
        "ms since " + (parts.getFirst().gpu() ? "the GPU" : "the machine") + " stood");
    bar(picture, time, TOP, "GPU", from, parts.stream().filter(PausePart::gpu).toList());
    if (stands) {
      List<PausePart> machine = parts.stream().filter(PausePart::machine).toList();
      bar(picture, time, TOP + BAR + 8.0, "machine", from, machine);
    }
    return picture.end() + table(parts, stands);
  }

  private static void bar(
      Picture picture, Scale time, double y, String name, long from, List<PausePart> parts) {
    picture.text("end", LEFT - 8, y + 20, name);
    long sum = 0;
    for (PausePart part : parts) {
      double x = time.at(part.fromNs() - from);
      double end = time.at(part.fromNs() - from + part.lengthNs());
      picture.box(
          "k-" + part.kind().id(),
          x,
          y,
          end - x,
          BAR,
          part.kind().label() + ", " + Figure.time(part.lengthNs()));
      sum += part.lengthNs();
    }
    if (!parts.isEmpty()) {
      picture.text("start", RIGHT + 8, y + 20, Figure.time(sum));
    }
  }

  private static String table(List<PausePart> parts, boolean stands) {
    StringBuilder out = new StringBuilder("<table class=\"figures\"><thead><tr><th></th>");
    out.append("<th>while</th><th class=\"n\">GPU, ms</th>");
    out.append(stands ? "<th class=\"n\">machine, ms</th>" : "").append("</tr></thead><tbody>\n");
    for (PausePart part : parts) {
      out.append(
          String.format(
              Locale.ROOT,
              "<tr><td><span class=\"swatch k-%s\"></span></td><td>%s</td>%s%s</tr>%n",
              part.kind().id(),
              Picture.escape(part.kind().label()),
              cell(part.gpu() ? part.lengthNs() : 0),
              stands ? cell(part.machine() ? part.lengthNs() : 0) : ""));
    }
    out.append("</tbody><tfoot><tr><td></td><td>in all</td>");
    out.append(cell(PausePart.gpuNs(parts)));
    out.append(stands ? cell(PausePart.machineNs(parts)) : "");
    return out.append("</tr></tfoot></table>\n").toString();
  }

  private static String cell(long ns) {
    return "<td class=\"n\">" + (ns == 0 ? "–" : Figure.milliseconds(ns)) + "</td>";
  }
}
