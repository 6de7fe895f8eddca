package io.sluice.testbed.bench.submission;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.util.List;

/**
 * P4: from a GPU event, whose time a semaphore release just before it stamps, to the return of the
 * guest's poll on its eventfd; against an eventfd ping-pong between two threads. The ping-pong
 * takes two wake-ups; an interrupt takes one when the GPU signals the eventfd itself, else two.
 */
public final class InterruptBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 5_000;
  private static final int SAMPLES = 10_000;
  private static final int TIMEOUT_MS = 5_000;
  private static final double GOAL = 1.2;

  @Override
  public String id() {
    return "P4";
  }

  @Override
  public String title() {
    return "interrupt, GPU event to guest eventfd, against an eventfd ping-pong";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int samples = context.samples(SAMPLES);
    pingPong(context.kernel(), WARM_UP);
    Samples bare = pingPong(context.kernel(), samples);
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
        Stamps stamps = new Stamps(device)) {
      interrupts(stamps, WARM_UP);
      Samples interrupt = interrupts(stamps, samples);
      return List.of(
          Figure.info("P4", "bare eventfd ping-pong: p50", bare.p50() / 1e3, "us"),
          Figure.info("P4", "GPU event to guest: p50", interrupt.p50() / 1e3, "us"),
          Figure.info("P4", "GPU event to guest: p99", interrupt.p99() / 1e3, "us"),
          Figure.info(
              "P4", "interrupt / half a ping-pong: p50", 2.0 * interrupt.p50() / bare.p50(), ""),
          Figure.atMost(
                  "P4",
                  "interrupt / ping-pong: p50",
                  (double) interrupt.p50() / bare.p50(),
                  "",
                  GOAL)
              .ofMany(samples, (double) interrupt.p99() / bare.p99()));
    }
  }

  /** A round trip: two wake-ups, as many as an interrupt takes. */
  private static Samples pingPong(Kernel kernel, int samples) throws InterruptedException {
    Samples result = new Samples();
    try (Fd ping = kernel.eventfd(0, 0);
        Fd pong = kernel.eventfd(0, 0)) {
      Thread peer =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < samples; i++) {
                  kernel.drain(ping);
                  kernel.signal(pong);
                }
              });
      for (int i = 0; i < samples; i++) {
        long start = System.nanoTime();
        kernel.signal(ping);
        kernel.drain(pong);
        result.add(System.nanoTime() - start);
      }
      peer.join();
    }
    return result;
  }

  private static Samples interrupts(Stamps stamps, int samples) {
    Samples result = new Samples();
    Pushbuffer words = new Pushbuffer();
    int base = (int) System.nanoTime() | 1;
    for (int i = 0; i < samples; i++) {
      int seen = stamps.channel.interrupts();
      words.clear();
      words.releaseWithTime(stamps.address, base + i).interrupt();
      stamps.channel.submit(words);
      if (!stamps.channel.awaitInterrupt(seen, TIMEOUT_MS)) {
        throw new IllegalStateException("no interrupt within " + TIMEOUT_MS + " ms");
      }
      long now = System.nanoTime();
      result.add(Math.max(0, now - stamps.await(base + i)));
    }
    return result;
  }
}
