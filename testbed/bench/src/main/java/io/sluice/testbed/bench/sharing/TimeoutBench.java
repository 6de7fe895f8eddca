package io.sluice.testbed.bench.sharing;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DaemonProcess;
import java.time.Duration;
import java.util.List;

/**
 * P13: from the submission of an acquire that never ends to the moment its guest sees the channel
 * killed, less the kill-timeout, while another guest has work all the time.
 */
public final class TimeoutBench implements Measurement {
  private static final String OFFENDER = "offender";
  private static final String OTHER = "other";
  private static final long TIMEOUT_MS = 200;
  private static final int KILLS = 20;
  private static final double GOAL_MS = 10;
  private static final BoundedWait SOON =
      new BoundedWait(Duration.ofSeconds(60), Duration.ofNanos(100_000));

  @Override
  public String id() {
    return "P13";
  }

  @Override
  public String title() {
    return "kill-timeout: how late an offender is gone, and what others lose";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(OFFENDER, OTHER));
        AttachedDevice offender = AttachedDevice.attach(context.kernel(), daemon.socket(OFFENDER));
        AttachedDevice other = AttachedDevice.attach(context.kernel(), daemon.socket(OTHER));
        Space space = offender.newSpace();
        Space otherSpace = other.newSpace();
        Buffer never = offender.allocateProcess(4096)) {
      daemon.connection().daemon().setQuota(OFFENDER, null, null, null, null, TIMEOUT_MS);
      GpuVa address = space.map(never);
      Load load = new Load(other, otherSpace);
      int kills = context.samples(KILLS);
      Samples late = new Samples();
      int wrong = 0;
      for (int i = 0; i < kills; i++) {
        try (ClientChannel channel = space.newChannel()) {
          long start = System.nanoTime();
          channel.submit(new Pushbuffer().acquire(address, 1));
          SOON.until("the kill", () -> channel.error() != 0);
          late.add(Math.max(0, System.nanoTime() - start - TIMEOUT_MS * 1_000_000));
          wrong += channel.error() == GuestAbi.ERROR_TIMEOUT ? 0 : 1;
        }
      }
      wrong += load.finish() ? 0 : 1;
      load.close();
      return List.of(
          Figure.info("P13", "kills", kills, ""),
          Figure.info("P13", "gone after the time-out: p50", late.p50() / 1e6, "ms"),
          Figure.atMost(
                  "P13",
                  "gone after the time-out: longest",
                  late.percentile(1) / 1e6,
                  "ms",
                  GOAL_MS)
              .ofMany(kills, late.p99() / 1e6),
          Figure.atMost("P13", "wrong reasons, and wrong bytes of the other", wrong, "", 0)
              .ofMany(kills));
    }
  }
}
