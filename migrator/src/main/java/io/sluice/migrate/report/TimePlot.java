package io.sluice.migrate.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

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

  /** The room that a label takes: of each character, and beside it. */
  private static final double CHARACTER = 7;

  private static final double MARGIN = 10;

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
    List<MoveHistory.Sample> samples = visible();
    List<double[]> points = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      MoveHistory.Sample sample = samples.get(i);
      double at = sample.atNs();
      double bytes = value.applyAsLong(sample);
      if (at < fromNs && i + 1 < samples.size()) { // where its line to the next one comes in
        MoveHistory.Sample next = samples.get(i + 1);
        bytes += (value.applyAsLong(next) - bytes) * (fromNs - at) / (next.atNs() - at);
        at = fromNs;
      }
      points.add(new double[] {time.at(at), amount.at(bytes)});
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
      String name = span.phase().label();
      bar(picture, time, y, new Stretch(span.fromNs(), span.endNs(), name, name, name));
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
      bar(picture, time, y, Stretch.runs(fromNs, toNs));
      return;
    }
    long from = parts.getFirst().fromNs();
    long to = parts.getLast().fromNs() + parts.getLast().lengthNs();
    String length = Figure.time(to - from);
    bar(picture, time, y, Stretch.runs(fromNs, from));
    bar(picture, time, y, new Stretch(from, to, "stands", "stood still " + length, length));
    bar(picture, time, y, Stretch.runs(to, toNs));
  }

  private void bar(Picture picture, Scale time, double y, Stretch what) {
    if (what.toNs() <= fromNs || what.fromNs() >= toNs || what.toNs() <= what.fromNs()) {
      return;
    }
    double x = time.at(what.fromNs());
    double width = time.at(what.toNs()) - x;
    String title = what.label() + ", " + Figure.time(what.toNs() - what.fromNs());
    picture.box("k-" + what.kind(), x, y, width, LANE, title);
    Stream.of(what.label(), what.brief())
        .filter(label -> label.length() * CHARACTER + MARGIN < width)
        .findFirst()
        .ifPresent(label -> picture.text("middle", x + width / 2, y + 15, label));
  }

  /**
   * A time in which one thing lasts.
   *
   * @param brief for where the label has no room
   */
  private record Stretch(long fromNs, long toNs, String kind, String label, String brief) {
    static Stretch runs(long fromNs, long toNs) {
      return new Stretch(fromNs, toNs, "runs", "runs", "runs");
    }
  }
}
