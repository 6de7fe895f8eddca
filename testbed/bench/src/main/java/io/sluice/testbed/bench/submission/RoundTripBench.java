package io.sluice.testbed.bench.submission;

import io.sluice.testbed.bench.measure.Affinity;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * P2: a trapped register access, as a round trip between two processes. Our server and the peer, if
 * there is one, take turns, on one core and on any.
 */
public final class RoundTripBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 40_000;
  private static final int SAMPLES = 20_000;
  private static final int ROUNDS = 3;
  private static final double P50_GOAL = 1.0;
  private static final double P99_GOAL = 1.5;

  @Override
  public String id() {
    return "P2";
  }

  @Override
  public String title() {
    return "trapped register round trip; --peer SOCKET --peer-pid PID: against another server";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    List<Figure> figures = new ArrayList<>();
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST))) {
      for (String processors : List.of("0", Affinity.all())) {
        String where = processors.equals("0") ? "same core" : "unpinned";
        Affinity.set(daemon.pid(), processors);
        Affinity.set(ProcessHandle.current().pid(), processors);
        if (context.peerPid().isPresent()) {
          Affinity.set(context.peerPid().getAsLong(), processors);
        }
        measure(context, daemon.socket(GUEST), where, figures);
      }
    } finally {
      Affinity.set(ProcessHandle.current().pid(), Affinity.all());
    }
    return figures;
  }

  private static void measure(BenchContext context, Path ours, String where, List<Figure> figures)
      throws Exception {
    int samples = context.samples(SAMPLES);
    List<Samples> own = new ArrayList<>();
    List<Samples> other = new ArrayList<>();
    Optional<Path> peer = context.peer();
    for (int round = 0; round < ROUNDS; round++) {
      own.add(once(context, ours, 0, samples));
      if (peer.isPresent()) {
        other.add(once(context, peer.get(), context.peerRegion(), samples));
      }
    }
    double p50 = median(own, 0.5);
    double p99 = median(own, 0.99);
    figures.add(Figure.info("P2", "ours, " + where + ": p50", p50, "ns"));
    figures.add(Figure.info("P2", "ours, " + where + ": p99", p99, "ns"));
    if (peer.isPresent()) {
      double peer50 = median(other, 0.5);
      double peer99 = median(other, 0.99);
      figures.add(Figure.info("P2", "peer, " + where + ": p50", peer50, "ns"));
      figures.add(Figure.info("P2", "peer, " + where + ": p99", peer99, "ns"));
      long count = (long) ROUNDS * samples;
      figures.add(
          Figure.atMost("P2", where + ": p50 ratio", p50 / peer50, "", P50_GOAL)
              .ofMany(count, p99 / peer99));
      figures.add(
          Figure.atMost("P2", where + ": p99 ratio", p99 / peer99, "", P99_GOAL).ofMany(count));
    }
  }

  private static Samples once(BenchContext context, Path socket, int region, int samples)
      throws Exception {
    try (RegisterPing ping = new RegisterPing(context.kernel(), socket)) {
      ping.measure(region, 0, WARM_UP);
      return ping.measure(region, 0, samples);
    }
  }

  /** The middle one of the rounds' percentiles. */
  private static double median(List<Samples> rounds, double fraction) {
    Samples values = new Samples();
    rounds.forEach(round -> values.add(round.percentile(fraction)));
    return values.p50();
  }
}
