package io.sluice.testbed.bench.sharing;

import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Space;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.bench.compute.GridLoad;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Busy;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Fairness: GPU time of two guests with weights 1 and 3, both under load all the time, with copies
 * first and then with grids. "GPU busy" is of one engine, or of all multiprocessors.
 */
public final class FairnessBench implements Measurement {
  private static final String LIGHT = "light";
  private static final String HEAVY = "heavy";
  private static final int HEAVY_WEIGHT = 3;
  private static final int MANY = 4;

  /** Beginnings are not measured: the loads have all begun, and shares are those of loads. */
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
        AttachedDevice light = AttachedDevice.attach(context.kernel(), daemon.socket(LIGHT));
        AttachedDevice heavy = AttachedDevice.attach(context.kernel(), daemon.socket(HEAVY));
        Space lightSpace = light.newSpace();
        Space heavySpace = heavy.newSpace()) {
      daemon.connection().daemon().setQuota(HEAVY, null, HEAVY_WEIGHT, null, null, null);
      List<Figure> figures = new ArrayList<>();
      figures.addAll(
          measure(
              context,
              daemon,
              "one channel each",
              List.of(new Load(light, lightSpace), new Load(heavy, heavySpace))));
      List<Busy> unequal = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        unequal.add(new Load(light, lightSpace));
      }
      unequal.add(new Load(heavy, heavySpace));
      figures.addAll(measure(context, daemon, MANY + " channels against one", unequal));
      List<Busy> grids = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        grids.add(new GridLoad(light));
        grids.add(new GridLoad(heavy));
      }
      figures.addAll(measure(context, daemon, "grids of " + MANY + " channels each", grids));
      return figures;
    }
  }

  /** Of loads of both guests, which are ended and closed. */
  private static List<Figure> measure(
      BenchContext context, DaemonProcess daemon, String who, List<Busy> loads) throws Exception {
    DaemonMXBean bean = daemon.connection().daemon();
    Thread.sleep(SETTLE_MS);
    Map<String, QuotaStatus> before = bean.getQuotas();
    long start = System.nanoTime();
    Thread.sleep(context.samples(MEASURE_MS));
    Map<String, QuotaStatus> after = bean.getQuotas();
    long elapsed = System.nanoTime() - start;
    boolean right = true;
    for (Busy load : loads) {
      right &= load.finish();
      load.close();
    }
    long light = used(before, after, LIGHT);
    long heavy = used(before, after, HEAVY);
    double share = (double) light / (light + heavy);
    return List.of(
        Figure.info("fairness", who + ": part of the guest with weight 1 of 4", share, ""),
        Figure.atMost("fairness", who + ": off by", Math.abs(share - WANTED), "", POINTS),
        Figure.info("fairness", who + ": GPU busy", (double) (light + heavy) / elapsed, ""),
        Figure.atMost("fairness", who + ": loads with wrong results", right ? 0 : 1, "", 0));
  }

  private static long used(
      Map<String, QuotaStatus> before, Map<String, QuotaStatus> after, String guest) {
    return Objects.requireNonNull(after.get(guest)).gpuNs()
        - Objects.requireNonNull(before.get(guest)).gpuNs();
  }
}
