package io.sluice.testbed.bench;

import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * P7: video memory from one engine to another over the link that migrations use, TLS 1.3 on
 * loopback, beside the same bytes copied over a bare TCP connection, encrypted and decrypted by the
 * same cipher alone, and both; where the processor time goes; and what is sent again after the link
 * was cut.
 */
final class ThroughputBench implements Measurement {
  private static final int[] STREAMS = {1, 2, 4};
  private static final int ROUNDS = 3;
  private static final double OF_CIPHER = 0.8;
  private static final double OF_TCP = 0.9;

  /** Event loops of each side. */
  private static final int LOOPS = 1;

  @Override
  public String id() {
    return "P7";
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
    double tcp = best(() -> ThroughputPeers.tcp(EnginePair.BYTES));
    double cipher = best(() -> ThroughputPeers.cipher(EnginePair.BYTES));
    double both = best(() -> ThroughputPeers.cipherOverTcp(EnginePair.BYTES));
    figures.add(Figure.info("P7", "bare TCP on loopback", tcp, "GB/s"));
    figures.add(
        Figure.info("P7", "AES-128-GCM alone, encrypt and decrypt, a core", cipher, "GB/s"));
    figures.add(Figure.info("P7", "the same over TCP, each end a core", both, "GB/s"));
    double most = 0;
    EnginePair.Moved best = null;
    for (int streams : STREAMS) {
      EnginePair.Moved found = fastest(context, own, streams);
      double rate = rate(found);
      if (rate > most) {
        most = rate;
        best = found;
      }
      figures.add(Figure.info("P7", "migration, " + streams + " streams, encrypted", rate, "GB/s"));
    }
    if (best != null) {
      figures.addAll(spent(best.spent()));
    }
    figures.add(Figure.atLeast("P7", "migration / cipher alone", most / cipher, "", OF_CIPHER));
    figures.add(Figure.info("P7", "migration / cipher over TCP", most / both, ""));
    figures.add(Figure.atLeast("P7", "migration / bare TCP", most / tcp, "", OF_TCP));
    figures.addAll(cut(context, own));
    return figures;
  }

  private static double rate(EnginePair.Moved moved) {
    return (double) EnginePair.BYTES / moved.ns();
  }

  private static EnginePair.Moved fastest(BenchContext context, Path own, int streams)
      throws Exception {
    EnginePair.Moved best = null;
    for (int i = 0; i < ROUNDS; i++) {
      try (EnginePair pair = new EnginePair(context.kernel(), own, streams, LOOPS)) {
        EnginePair.Moved moved = pair.move(pair.port(), () -> {});
        best = best == null || moved.ns() < best.ns() ? moved : best;
      }
    }
    return Objects.requireNonNull(best);
  }

  private static List<Figure> spent(EnginePair.Spent spent) {
    return List.of(
        spent("read, compare, copy", spent.source()),
        spent("sum, encrypt, send", spent.sending()),
        spent("receive, decrypt, sum", spent.receiving()),
        spent("store", spent.target()));
  }

  private static Figure spent(String what, long ns) {
    double each = (double) ns / (EnginePair.BYTES >> 10);
    return Figure.info("P7", "processor time: " + what, each, "ns/KiB");
  }

  /** The link is cut when a part of the memory is across; it goes on by itself. */
  private static List<Figure> cut(BenchContext context, Path own) throws Exception {
    try (EnginePair pair = new EnginePair(context.kernel(), own, 2, LOOPS);
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
