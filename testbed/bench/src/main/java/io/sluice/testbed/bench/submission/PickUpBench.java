package io.sluice.testbed.bench.submission;

import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * P16: from a guest's store of GP_PUT to the time that the entry's first method stamps, after the
 * channel has been active, idle for a second, idle for ten.
 */
public final class PickUpBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 20_000;
  private static final int SAMPLES = 20_000;
  private static final int JITTER_MS = 100;
  private static final long SEED = 16;

  @Override
  public String id() {
    return "P16";
  }

  @Override
  public String title() {
    return "pick-up of an entry after GP_PUT, active and idle (takes a minute)";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
        Stamps stamps = new Stamps(device)) {
      return figures(stamps, context, 3);
    }
  }

  /**
   * The figures of P16 on a channel.
   *
   * @param longest how often to wait for ten seconds
   */
  public static List<Figure> figures(Stamps stamps, BenchContext context, int longest)
      throws InterruptedException {
    series(stamps, WARM_UP, 0);
    List<Figure> figures = new ArrayList<>();
    Samples active = series(stamps, context.samples(SAMPLES), 0);
    figures.add(
        Figure.atMost("P16", "active: p50", active.p50() / 1e3, "us", 2)
            .ofMany(active.count(), active.p99() / 1e3));
    figures.add(Figure.info("P16", "active: p99", active.p99() / 1e3, "us"));
    Samples second = series(stamps, context.samples(45), 1000);
    figures.add(
        Figure.atMost("P16", "idle for 1 s: p50", second.p50() / 1e3, "us", 500)
            .ofMany(second.count(), second.p99() / 1e3));
    figures.add(Figure.info("P16", "idle for 1 s: longest", second.percentile(1) / 1e3, "us"));
    Samples ten = series(stamps, context.samples(longest), 10_000);
    figures.add(
        Figure.atMost("P16", "idle for 10 s: p50", ten.p50() / 1e3, "us", 3000)
            .ofMany(ten.count(), ten.p99() / 1e3));
    figures.add(Figure.info("P16", "idle for 10 s: longest", ten.percentile(1) / 1e3, "us"));
    return figures;
  }

  private static Samples series(Stamps stamps, int samples, int idleMs)
      throws InterruptedException {
    Samples result = new Samples();
    SplittableRandom jitter = new SplittableRandom(SEED);
    Pushbuffer words = new Pushbuffer();
    int base = (int) System.nanoTime() | 1;
    for (int i = 0; i < samples; i++) {
      if (idleMs > 0) {
        // Looks come at regular times, and the last sample ended at one.
        Thread.sleep(idleMs + jitter.nextInt(JITTER_MS));
      }
      words.clear();
      words.releaseWithTime(stamps.address, base + i);
      long start = System.nanoTime();
      stamps.channel.submit(words);
      long picked = idleMs > 0 ? stamps.awaitAsleep(base + i) : stamps.await(base + i);
      result.add(Math.max(0, picked - start));
    }
    return result;
  }
}
