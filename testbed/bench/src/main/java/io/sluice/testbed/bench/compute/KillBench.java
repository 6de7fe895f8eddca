package io.sluice.testbed.bench.compute;

import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.workloads.Device;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * P13, the software GPU's part: from the call that kills a grid to its return, after which the grid
 * touches no memory any more. Programs that look at the kill flag in different places.
 */
public final class KillBench implements Measurement {
  private static final int SAMPLES = 50;
  private static final double GOAL_MS = 10;
  private static final int STRAIGHT_INSTRUCTIONS = 16_000;
  private static final long RUNNING_NS = 20_000_000;

  @Override
  public String id() {
    return "P13";
  }

  @Override
  public String title() {
    return "killing a running grid";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    List<Figure> figures = new ArrayList<>();
    int samples = context.samples(SAMPLES);
    measure("endless loop of a lane", "top:\n IADD R2, R2, 1\n BRA top\n", samples, figures);
    measure("endless barriers", "top:\n BAR.SYNC 0\n BRA top\n", samples, figures);
    String straight = " IADD R2, R2, 1\n".repeat(STRAIGHT_INSTRUCTIONS) + " EXIT\n";
    measure("16,000 instructions without a branch", straight, samples, figures);
    return figures;
  }

  private static void measure(String name, String text, int samples, List<Figure> figures)
      throws Exception {
    Kernel kernel = Assembler.assemble(".kernel k\n" + text).get(0);
    CompiledPrograms programs = new CompiledPrograms();
    int workers = Runtime.getRuntime().availableProcessors();
    Samples kills = new Samples();
    try (Device device = new Device(4 << 20);
        ExecutorService executor = Executors.newFixedThreadPool(workers)) {
      Grid grid = device.prepare(new Workload.Launch(kernel, 60_000, 100, 256, 1, List.of()));
      for (int i = -5; i < samples; i++) {
        GridRun run = GridRun.compiled(grid, programs, () -> device, workers);
        run.start(executor, () -> false);
        LockSupport.parkNanos(RUNNING_NS);
        long start = System.nanoTime();
        run.kill();
        long ns = System.nanoTime() - start;
        if (i >= 0) {
          kills.add(ns);
        }
      }
    }
    figures.add(Figure.info("P13", name + ", kill, p50", kills.p50() / 1e6, "ms"));
    figures.add(
        Figure.atMost("P13", name + ", kill, p99", kills.p99() / 1e6, "ms", GOAL_MS)
            .ofMany(kills.count()));
  }
}
