package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.RealProgram;
import io.sluice.testbed.opencl.RealPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * R5: the wall time of programs of Debian, natively and in a session by turns; both must come to
 * the same results. A goal holds for those that work for more than 2 s.
 */
public final class RealProgramBench implements Measurement {
  private static final String ID = "R5";
  private static final int PAIRS = 3;
  private static final double WORKS_SECONDS = 2;
  private static final double GOAL = 1.05;

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "sessions: programs of Debian, remoted / natively";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    if (!OpenClPrograms.areThere(context)) {
      return List.of();
    }
    List<Figure> figures = new ArrayList<>();
    Path clients = Files.createDirectories(context.directory().resolve("clients"));
    try (OpenClPrograms programs = OpenClPrograms.build(context)) {
      for (RealProgram program : RealPrograms.all(clients)) {
        if (program.isReady(clients)) {
          figures.addAll(figures(context, programs, program));
        } else {
          context.log().println("bench: left out, not installed: " + program.packages());
        }
      }
    }
    return figures;
  }

  /** One run of a program. */
  private record Run(double seconds, List<String> results) {}

  /** The first pair, in which kernels are compiled, is left out. */
  private static List<Figure> figures(
      BenchContext context, OpenClPrograms programs, RealProgram program) throws Exception {
    List<Double> ratios = new ArrayList<>();
    List<Double> times = new ArrayList<>();
    int pairs = context.samples(PAIRS);
    for (int pair = 0; pair <= pairs; pair++) {
      Run natively = run(context, program, OpenClPrograms.natively());
      Run remoted = run(context, program, programs.remoted());
      if (!natively.results().equals(remoted.results())) {
        throw new IOException(
            program + " differs:\n" + natively.results() + "\n" + remoted.results());
      }
      if (pair > 0) {
        ratios.add(remoted.seconds() / natively.seconds());
        times.add(natively.seconds());
      }
    }
    double seconds = CallTimes.median(times);
    String what = program.name() + ", remoted / natively";
    double ratio = CallTimes.median(ratios);
    return List.of(
        Figure.info(ID, program.name() + ", natively", seconds, "s"),
        seconds > WORKS_SECONDS
            ? Figure.atMost(ID, what, ratio, "", GOAL).ofMany(pairs)
            : Figure.info(ID, what, ratio, ""));
  }

  private static Run run(BenchContext context, RealProgram program, Map<String, String> environment)
      throws Exception {
    Path work = Files.createTempDirectory(context.directory(), program.name());
    long began = System.nanoTime();
    Result result = Commands.run(work, environment, program.command());
    double seconds = (System.nanoTime() - began) / 1e9;
    if (result.code() != 0) {
      throw new IOException(program + " failed: " + result.errors());
    }
    return new Run(seconds, program.results(work, result));
  }
}
