package io.sluice.migrate.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The plot of a stretch of a migration: bytes as curves, and below them, on the same axis of time,
 * the phases and what machine and GPU did.
 *
 * @param fromNs since the start
 * @param toNs likewise, later
 */
record TimePlot(MoveHistory report, long fromNs, long toNs, boolean stands) {
  private static final int LEFT = 84;
  private static final int RIGHT = Picture.WIDTH - 12;
  private static final int TOP = 30;
  private static final int CURVES = 170;
  private static final int LANE = 22;
  private static final int GAP = 8;
  private static final double SECOND = 1e9;
  private static final double MILLISECOND = 1e6;

  /** In milliseconds up to so long. */
  private static final long SHORT_NS = 3_000_000_000L;

  /** Narrower ones have no room for a label. */
  private static final double LABELLED = 70;

  /** What sent bytes reach is shown only where most of it fits. */
  String draw(String title, boolean sent) {
    int lanes = stands ? 3 : 2;
    double bottom = TOP + CURVES + GAP + lanes * (LANE + GAP);
    Picture picture = new Picture((int) bottom + 40, title);
    Scale time = new Scale(fromNs, toNs, LEFT, RIGHT);
    boolean brief = toNs - fromNs < SHORT_NS;
    picture.timeAxis(
        time, TOP, bottom, brief ? MILLISECOND : SECOND, (brief ? "ms" : "s") + " since the start");
    curves(picture, time, sent);
    lanes(picture, time);
    return picture.end();
  }

  private void curves(Picture picture, Scale time, boolean sent) {
    long most = 1 << 10;
    for (MoveHistory.Sample sample : visible()) {
      most = Math.max(most, Math.max(sample.bytesLeft(), sent ? sample.bytesSent() : 0));
    }
    Scale amount = new Scale(0, most * 1.05, TOP + CURVES, TOP);
    picture.byteAxis(amount, LEFT, RIGHT);
    picture.curve("left", points(time, amount, MoveHistory.Sample::bytesLeft));
    if (sent) {
      picture.curve("sent", points(time, amount, MoveHistory.Sample::bytesSent));
    }
  }

  private List<double[]> points(
      Scale time, Scale amount, ToLongFunction<MoveHistory.Sample> value) {
    List<double[]> points = new ArrayList<>();
    for (MoveHistory.Sample sample : visible()) {
      points.add(new double[] {time.at(sample.atNs()), amount.at(value.applyAsLong(sample))});
    }
    return points;
  }

  /** Those in it, with the last one before. */
  private List<MoveHistory.Sample> visible() {
    List<MoveHistory.Sample> samples = report.samples();
    int first = 0;
    for (int i = 0; i < samples.size() && samples.get(i).atNs() <= fromNs; i++) {
      first = i;
    }
    return samples.subList(first, samples.size());
  }

  private void lanes(Picture picture, Scale time) {
    double y = TOP + CURVES + GAP;
    picture.text("end", LEFT - 8, y + 15, "phase");
    for (MoveHistory.Span span : report.spans()) {
      bar(
          picture,
          time,
          y,
          span.fromNs(),
          span.endNs(),
          span.phase().label(),
          span.phase().label());
    }
    y += LANE + GAP;
    picture.text("end", LEFT - 8, y + 15, "GPU");
    List<PausePart> parts = report.pause();
    stood(picture, time, y, parts.stream().filter(PausePart::gpu).toList());
    if (stands) {
      y += LANE + GAP;
      picture.text("end", LEFT - 8, y + 15, "machine");
      stood(picture, time, y, parts.stream().filter(PausePart::machine).toList());
    }
  }

  /** It works, and stands still from the first part to the last. */
  private void stood(Picture picture, Scale time, double y, List<PausePart> parts) {
    if (parts.isEmpty()) {
      bar(picture, time, y, fromNs, toNs, "runs", "runs");
      return;
    }
    long from = parts.getFirst().fromNs();
    long to = parts.getLast().fromNs() + parts.getLast().lengthNs();
    bar(picture, time, y, fromNs, from, "runs", "runs");
    bar(picture, time, y, from, to, "stands", "stood still " + Figure.time(to - from));
    bar(picture, time, y, to, toNs, "runs", "runs");
  }

  private void bar(
      Picture picture, Scale time, double y, long from, long to, String kind, String label) {
    if (to <= fromNs || from >= toNs || to <= from) {
      return;
    }
    double x = time.at(from);
    double width = time.at(to) - x;
    picture.box("k-" + kind, x, y, width, LANE, label + ", " + Figure.time(to - from));
    if (width > LABELLED && width > label.length() * 7.5) {
      picture.text("middle", x + width / 2, y + 15, label);
    }
  }
}
