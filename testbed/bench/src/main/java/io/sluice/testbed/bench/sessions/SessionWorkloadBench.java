package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * R4: the seven programs of virtio-CL's table, natively and in a session by turns; each verifies
 * its results, and both must print the same checksum.
 */
public final class SessionWorkloadBench implements Measurement {
  private static final String ID = "R4";
  private static final int PAIRS = 5;
  private static final double MEAN_GOAL = 1.02;
  private static final double WORST_GOAL = 1.05;
  private static final String SECONDS = "seconds: ";

  /** How long all rounds are to take, at least; a faster device has more of them. */
  private static final double LEAST_SECONDS = 0.1;

  private static final int MOST_TIMES = 1000;

  /**
   * A program.
   *
   * @param size its first argument
   * @param rounds its second: on two cores they take some tenths of a second
   */
  private record Workload(String name, int size, int rounds) {
    String[] arguments() {
      return new String[] {Integer.toString(size), Integer.toString(rounds)};
    }
  }

  private static final List<Workload> WORKLOADS =
      List.of(
          new Workload("walsh", 1 << 20, 4),
          new Workload("black_scholes", 1 << 18, 8),
          new Workload("mersenne", 1 << 18, 8),
          new Workload("matrix", 512, 2),
          new Workload("scan", 1 << 20, 8),
          new Workload("convolution", 1024, 8),
          new Workload("dot", 1 << 20, 16));

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "sessions: seven workloads, remoted / natively";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    if (!OpenClPrograms.areThere(context)) {
      return List.of();
    }
    int pairs = context.samples(PAIRS);
    List<Figure> figures = new ArrayList<>();
    double worst = 0;
    double sum = 0;
    try (OpenClPrograms programs = OpenClPrograms.build(context)) {
      for (Workload each : WORKLOADS) {
        Workload workload = longEnough(programs, each);
        double ratio = ratio(programs, workload, pairs);
        figures.add(Figure.info(ID, workload.name() + ", remoted / natively", ratio, ""));
        if (programs.hasPeer()) {
          figures.add(byPeer(programs, workload));
        }
        worst = Math.max(worst, ratio);
        sum += ratio;
      }
    }
    figures.add(
        Figure.atMost(ID, "mean of seven", sum / WORKLOADS.size(), "", MEAN_GOAL).ofMany(pairs));
    figures.add(Figure.atMost(ID, "worst of seven", worst, "", WORST_GOAL).ofMany(pairs));
    return figures;
  }

  /** Once compiled, one run of each: the peer is far off. */
  private static Figure byPeer(OpenClPrograms programs, Workload workload)
      throws IOException, InterruptedException {
    List<String> _ = programs.byPeer(workload.name(), workload.arguments());
    double ratio =
        seconds(programs.byPeer(workload.name(), workload.arguments()))
            / seconds(programs.natively(workload.name(), workload.arguments()));
    return Figure.info(ID, "by the peer: " + workload.name() + " / natively", ratio, "");
  }

  /** With as many rounds as take {@link #LEAST_SECONDS}. */
  private static Workload longEnough(OpenClPrograms programs, Workload workload)
      throws IOException, InterruptedException {
    double seconds = seconds(programs.natively(workload.name(), workload.arguments()));
    int times = (int) Math.clamp(Math.ceil(LEAST_SECONDS / seconds), 1, MOST_TIMES);
    return new Workload(workload.name(), workload.size(), times * workload.rounds());
  }

  /**
   * The median of the pairs' ratios; the first pair, in which kernels are compiled, is left out.
   */
  private static double ratio(OpenClPrograms programs, Workload workload, int pairs)
      throws IOException, InterruptedException {
    String[] arguments = workload.arguments();
    List<Double> ratios = new ArrayList<>();
    for (int pair = 0; pair <= pairs; pair++) {
      List<String> natively = programs.natively(workload.name(), arguments);
      List<String> remoted = programs.remoted(workload.name(), arguments);
      if (!natively.subList(1, natively.size()).equals(remoted.subList(1, remoted.size()))) {
        throw new IOException(workload.name() + " differs: " + natively + " and " + remoted);
      }
      if (pair > 0) {
        ratios.add(seconds(remoted) / seconds(natively));
      }
    }
    return CallTimes.median(ratios);
  }

  private static double seconds(List<String> lines) throws IOException {
    if (!lines.getFirst().startsWith(SECONDS)) {
      throw new IOException("no time: " + lines);
    }
    return Double.parseDouble(lines.getFirst().substring(SECONDS.length()));
  }
}
