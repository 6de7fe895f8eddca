package io.sluice.testbed.bench;

import io.sluice.guest.GuestDevice;
import io.sluice.guest.Space;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.DaemonProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Fairness: GPU time of two guests with weights 1 and 3, both under load all the time. */
final class FairnessBench implements Measurement {
  private static final String LIGHT = "light";
  private static final String HEAVY = "heavy";
  private static final int HEAVY_WEIGHT = 3;
  private static final int SETTLE_MS = 500;
  private static final int MEASURE_MS = 4000;
  private static final double WANTED = 0.25;
  private static final double POINTS = 0.03;

  @Override
  public String id() {
    return "fairness";
  }

  @Override
  public String title() {
    return "GPU time of two guests with weights 1 and 3 under load";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(LIGHT, HEAVY));
        GuestDevice light = GuestDevice.attach(context.kernel(), daemon.socket(LIGHT));
        GuestDevice heavy = GuestDevice.attach(context.kernel(), daemon.socket(HEAVY));
        Space lightSpace = light.newSpace();
        Space heavySpace = heavy.newSpace()) {
      daemon.connection().daemon().setQuota(HEAVY, null, HEAVY_WEIGHT, null, null, null);
      List<Figure> figures = new ArrayList<>();
      figures.addAll(
          measure(context, daemon, List.of(light, heavy), List.of(lightSpace, heavySpace), 1));
      figures.addAll(
          measure(context, daemon, List.of(light, heavy), List.of(lightSpace, heavySpace), 4));
      return figures;
    }
  }

  /**
   * @param lightChannels channels of the guest with weight 1; the other one has one
   */
  private static List<Figure> measure(
      BenchContext context,
      DaemonProcess daemon,
      List<GuestDevice> devices,
      List<Space> spaces,
      int lightChannels)
      throws Exception {
    List<Load> loads = new ArrayList<>();
    for (int i = 0; i < lightChannels; i++) {
      loads.add(new Load(devices.get(0), spaces.get(0)));
    }
    loads.add(new Load(devices.get(1), spaces.get(1)));
    DaemonMXBean bean = daemon.connection().daemon();
    Thread.sleep(SETTLE_MS);
    Map<String, QuotaStatus> before = bean.getQuotas();
    long start = System.nanoTime();
    Thread.sleep(context.samples(MEASURE_MS));
    Map<String, QuotaStatus> after = bean.getQuotas();
    long elapsed = System.nanoTime() - start;
    boolean right = true;
    for (Load load : loads) {
      right &= load.finish();
      load.close();
    }
    long light = used(before, after, LIGHT);
    long heavy = used(before, after, HEAVY);
    double share = (double) light / (light + heavy);
    String who = lightChannels == 1 ? "one channel each" : lightChannels + " channels against one";
    return List.of(
        Figure.info("fairness", who + ": part of the guest with weight 1 of 4", share, ""),
        Figure.atMost("fairness", who + ": off by", Math.abs(share - WANTED), "", POINTS),
        Figure.info("fairness", who + ": GPU busy", (double) (light + heavy) / elapsed, ""),
        Figure.atMost("fairness", who + ": buffers with wrong bytes", right ? 0 : 1, "", 0));
  }

  private static long used(
      Map<String, QuotaStatus> before, Map<String, QuotaStatus> after, String guest) {
    return Objects.requireNonNull(after.get(guest)).gpuNs()
        - Objects.requireNonNull(before.get(guest)).gpuNs();
  }
}
