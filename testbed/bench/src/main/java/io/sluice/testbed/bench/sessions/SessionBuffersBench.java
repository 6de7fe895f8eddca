package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import java.util.ArrayList;
import java.util.List;

/** R7: what a buffer more costs when a session moves, with as much memory in all. */
public final class SessionBuffersBench implements Measurement {
  private static final String ID = "R7";
  private static final int MOVES = 6;
  private static final int MIB = 16;
  private static final int FEW = 16;
  private static final int MANY = 4096;
  private static final double GOAL_US = 20;

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "sessions: moving many small buffers, each";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    if (!OpenClPrograms.areThere(context)) {
      return List.of();
    }
    try (OpenClPrograms programs = OpenClPrograms.build(context)) {
      double few = moveMs(programs, FEW, context.samples(MOVES));
      double many = moveMs(programs, MANY, context.samples(MOVES));
      return List.of(
          Figure.info(ID, "a move of 16 MiB in 16 buffers", few, "ms"),
          Figure.info(ID, "a move of 16 MiB in 4096 buffers", many, "ms"),
          Figure.atMost(ID, "a buffer more", (many - few) * 1000 / (MANY - FEW), "us", GOAL_US)
              .ofMany(2L * context.samples(MOVES)));
    }
  }

  private static double moveMs(OpenClPrograms programs, int buffers, int moves) throws Exception {
    List<Double> all = new ArrayList<>();
    try (MovingApplication application = MovingApplication.start(programs, MIB, buffers, 0)) {
      var _ = application.move(); // starts the other host
      var _ = application.move();
      for (int i = 0; i < moves; i++) {
        all.add(application.move().tookMs());
      }
    }
    return CallTimes.median(all);
  }
}
