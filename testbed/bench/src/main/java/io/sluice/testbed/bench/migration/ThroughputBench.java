package io.sluice.testbed.bench.migration;

import io.sluice.migrate.memory.Lanes;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * P7: video memory from one engine to another over the link that migrations use, TLS 1.3 on
 * loopback, beside the same bytes copied over a bare TCP connection, encrypted and decrypted by the
 * same cipher alone, and both; where the processor time goes; and what is sent again after the link
 * was cut.
 */
public final class ThroughputBench implements Measurement {
  public static final String ID = "P7";

  private static final int[] STREAMS = {1, 2, 4, 8};

  /** More streams than this are tried where there are as many processors. */
  private static final int USUAL_STREAMS = 4;

  private static final long BYTES = 192L << 20;
  private static final long LONG_BYTES = 1L << 30;
  private static final int ROUNDS = 3;
  private static final double OF_CIPHER = 0.8;
  private static final double OF_TCP = 0.9;

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final int lanes;
  private final int loops;

  /**
   * @param lanes of each side; as many as a daemon has, if empty
   * @param loops event loops of each side; if empty, a quarter of the processors
   */
  public ThroughputBench(Optional<Integer> lanes, Optional<Integer> loops) {
    this.lanes = lanes.orElse(Lanes.usual(PROCESSORS));
    this.loops = loops.orElse(Math.max(1, PROCESSORS / 4));
  }

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "throughput of a migration against bare TCP, and against its cipher";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    Path files = Files.createDirectory(context.directory().resolve("certificates"));
    Path own = Files.createDirectory(context.directory().resolve("host"));
    new HostCertificates(files).issue("bench", "127.0.0.1", own);
    List<Figure> figures = new ArrayList<>();
    long bytes = context.longRun() ? LONG_BYTES : BYTES;
    double tcp = best(() -> ThroughputPeers.tcp(bytes));
    double cipher = best(() -> ThroughputPeers.cipher(bytes));
    double both = best(() -> ThroughputPeers.cipherOverTcp(bytes));
    figures.add(Figure.info("P7", "processors", PROCESSORS, ""));
    figures.add(Figure.info("P7", "bytes moved", bytes / 1e6, "MB"));
    figures.add(Figure.info("P7", "event loops of each side", loops, ""));
    figures.add(Figure.info("P7", "lanes of each side, at most", lanes, ""));
    figures.add(Figure.info("P7", "bare TCP on loopback", tcp, "GB/s"));
    figures.add(
        Figure.info("P7", "AES-128-GCM alone, encrypt and decrypt, a core", cipher, "GB/s"));
    figures.add(Figure.info("P7", "the same over TCP, each end a core", both, "GB/s"));
    figures.addAll(storing(context, bytes));
    double most = 0;
    for (int streams : STREAMS) {
      if (streams > USUAL_STREAMS && streams > PROCESSORS) {
        continue;
      }
      EnginePair.Shape shape = new EnginePair.Shape(bytes, streams, loops, lanes);
      EnginePair.Moved found = fastest(context, own, shape);
      double rate = (double) bytes / found.ns();
      most = Math.max(most, rate);
      figures.add(Figure.info("P7", "migration, " + streams + " streams, encrypted", rate, "GB/s"));
      figures.addAll(spent(streams, bytes, found.spent()));
    }
    figures.add(
        Figure.atLeast("P7", "migration / cipher alone", most / cipher, "", OF_CIPHER)
            .ofMany(ROUNDS));
    figures.add(Figure.info("P7", "migration / cipher over TCP", most / both, ""));
    figures.add(
        Figure.atLeast("P7", "migration / bare TCP", most / tcp, "", OF_TCP).ofMany(ROUNDS));
    figures.addAll(cut(context, own, new EnginePair.Shape(bytes, 2, loops, lanes)));
    return figures;
  }

  /** What the destination's lanes can come to: a file takes one writer at a time. */
  private List<Figure> storing(BenchContext context, long bytes) throws Exception {
    List<Figure> figures = new ArrayList<>();
    StorePeers peers = new StorePeers(context.kernel(), bytes);
    for (int threads = 1; threads <= Math.max(2, lanes); threads *= 2) {
      int some = threads;
      String by = ", new shared memory, " + threads + " threads";
      figures.add(Figure.info("P7", "pwrite" + by, best(() -> peers.written(some)), "GB/s"));
      figures.add(Figure.info("P7", "stores" + by, best(() -> peers.stored(some)), "GB/s"));
    }
    return figures;
  }

  private static EnginePair.Moved fastest(BenchContext context, Path own, EnginePair.Shape shape)
      throws Exception {
    EnginePair.Moved best = null;
    for (int i = 0; i < ROUNDS; i++) {
      try (EnginePair pair = new EnginePair(context.kernel(), own, shape)) {
        EnginePair.Moved moved = pair.move(pair.port(), () -> {});
        best = best == null || moved.ns() < best.ns() ? moved : best;
      }
    }
    return Objects.requireNonNull(best);
  }

  private static List<Figure> spent(int streams, long bytes, EnginePair.Spent spent) {
    String of = streams + " streams, processor time: ";
    return List.of(
        spent(of + "read, compare, copy", bytes, spent.source()),
        spent(of + "sum, encrypt, send", bytes, spent.sending()),
        spent(of + "receive, decrypt, sum", bytes, spent.receiving()),
        spent(of + "store", bytes, spent.target()));
  }

  private static Figure spent(String what, long bytes, long ns) {
    return Figure.info("P7", what, (double) ns / (bytes >> 10), "ns/KiB");
  }

  /** The link is cut when a part of the memory is across; it goes on by itself. */
  private static List<Figure> cut(BenchContext context, Path own, EnginePair.Shape shape)
      throws Exception {
    try (EnginePair pair = new EnginePair(context.kernel(), own, shape);
        DelayedLink link =
            new DelayedLink(
                "127.0.0.1",
                new InetSocketAddress("127.0.0.1", pair.port()),
                Duration.ofMillis(1))) {
      EnginePair.Moved moved = pair.move(link.port(), link::cut);
      return List.of(
          Figure.info("P7", "cuts of the link that were mended", moved.reconnects(), ""),
          Figure.info("P7", "sent again after a cut", moved.bytesAgain() / 1e6, "MB"),
          Figure.info(
              "P7", "of what was sent", 100.0 * moved.bytesAgain() / moved.bytesSent(), "%"));
    }
  }

  private interface Run {
    double gigabytesPerSecond() throws Exception;
  }

  private static double best(Run run) throws Exception {
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
      best = Math.max(best, run.gigabytesPerSecond());
    }
    return best;
  }
}
