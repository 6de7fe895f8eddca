package io.sluice.testbed.bench.submission;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.util.List;

/**
 * P3: a call (slot in shared memory, doorbell, completion interrupt) against the trapped write
 * alone that rings its doorbell.
 */
public final class HypercallBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int WARM_UP = 20_000;
  private static final int SAMPLES = 20_000;
  private static final double GOAL = 2.0;

  @Override
  public String id() {
    return "P3";
  }

  @Override
  public String title() {
    return "hypercall, posted and completed by interrupt, against a trapped write";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int samples = context.samples(SAMPLES);
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST));
        AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST))) {
      writes(device, WARM_UP);
      calls(device, WARM_UP);
      Samples write = writes(device, samples);
      Samples call = calls(device, samples);
      return List.of(
          Figure.info("P3", "trapped write: p50", write.p50(), "ns"),
          Figure.info("P3", "call: p50", call.p50(), "ns"),
          Figure.info("P3", "call: p99", call.p99(), "ns"),
          Figure.atMost(
                  "P3", "call / trapped write: p50", (double) call.p50() / write.p50(), "", GOAL)
              .ofMany(samples, (double) call.p99() / write.p99()));
    }
  }

  private static Samples writes(AttachedDevice device, int samples) {
    Samples result = new Samples();
    for (int i = 0; i < samples; i++) {
      long start = System.nanoTime();
      device.writeRegister(GuestAbi.REG_MAGIC, 0); // read-only: the write is taken and ignored
      result.add(System.nanoTime() - start);
    }
    return result;
  }

  private static Samples calls(AttachedDevice device, int samples) {
    Samples result = new Samples();
    for (int i = 0; i < samples; i++) {
      long start = System.nanoTime();
      device.ping(i);
      result.add(System.nanoTime() - start);
    }
    return result;
  }
}
