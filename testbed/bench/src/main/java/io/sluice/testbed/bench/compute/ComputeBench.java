package io.sluice.testbed.bench.compute;

import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.Samples;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.workloads.Backpropagation;
import io.sluice.testbed.workloads.Device;
import io.sluice.testbed.workloads.LuDecomposition;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.NearestNeighbours;
import io.sluice.testbed.workloads.WordProduct;
import io.sluice.testbed.workloads.Workload;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * P15, compute: kernels of one worker against the plain Java loop that computes their reference,
 * both by processor time of the same thread, in turns; the interpreter's rate; and what two workers
 * gain, by wall time.
 *
 * <p>Not on JMH, which runs one benchmark after the other, in processes of its own, and counts wall
 * time: the figure is a ratio of processor times of pairs in turns. What shares the machine then
 * meets both of a pair.
 */
public final class ComputeBench implements Measurement {
  private static final int SAMPLES = 5;
  private static final double GOAL = 5;
  private static final int SCALING_SAMPLES = 15;
  private static final int SCALING_WARM_UP = 10;

  /** Processor time after which HotSpot has compiled what it is going to compile. */
  private static final long WARM_UP_NS = 2_000_000_000L;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Override
  public String id() {
    return "P15";
  }

  @Override
  public String title() {
    return "compiled kernels against a plain Java loop";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    int n = context.longRun() ? 2048 : 512;
    List<Workload> workloads =
        List.of(
            new MatrixProduct(n),
            new WordProduct(n),
            new LuDecomposition(n),
            new NearestNeighbours(42_764),
            new Backpropagation(65_536));
    List<Figure> figures = new ArrayList<>();
    for (Workload workload : workloads) {
      context.log().println("bench: " + workload.name());
      compare(workload, context.longRun() ? SAMPLES - 2 : SAMPLES, figures);
    }
    interpreter(figures);
    scaling(new MatrixProduct(512), figures);
    scaling(new Backpropagation(Backpropagation.DEFAULT_INPUTS), figures);
    return figures;
  }

  private static void compare(Workload workload, int samples, List<Figure> figures) {
    CompiledPrograms programs = new CompiledPrograms();
    Samples plain = new Samples();
    Samples gpu = new Samples();
    long[] executed = new long[2];
    long warmUpNs = 0;
    for (int runs = 0; runs < 2 || warmUpNs < WARM_UP_NS; runs++) {
      workload.expected();
      warmUpNs += onOneThread(workload, programs, executed);
    }
    for (int i = 0; i < samples; i++) {
      plain.add(processorNs(workload::expected));
      gpu.add(onOneThread(workload, programs, executed));
    }
    String name = workload.name();
    figures.add(Figure.info("P15", name + ", plain loop", plain.p50() / 1e6, "ms"));
    figures.add(Figure.info("P15", name + ", compiled", gpu.p50() / 1e6, "ms"));
    double ratio = (double) gpu.p50() / plain.p50();
    figures.add(
        Figure.atMost("P15", name + ", compiled / plain loop", ratio, "", GOAL).ofMany(samples));
    double share = 1 - (double) executed[1] / executed[0];
    figures.add(Figure.atLeast("P15", name + ", share compiled", share, "", 0.99));
  }

  /** Processor time of a workload with its launches on this thread. */
  private static long onOneThread(Workload workload, CompiledPrograms programs, long[] executed) {
    try (Device device = Device.of(workload)) {
      return processorNs(
          () -> run(device, workload, grid -> compiled(grid, programs, device, executed)));
    }
  }

  private static GridOutcome compiled(
      Grid grid, CompiledPrograms programs, Device device, long[] executed) {
    GridRun run = GridRun.compiled(grid, programs, () -> device, 1);
    run.start(Runnable::run, () -> false);
    executed[0] += run.instructions();
    executed[1] += run.interpreted();
    return run.outcome();
  }

  private static void run(Device device, Workload workload, Function<Grid, GridOutcome> launch) {
    GridOutcome outcome = device.run(workload, launch);
    if (!(outcome instanceof GridOutcome.Completed)) {
      throw new IllegalStateException(workload.name() + " ended with " + outcome);
    }
  }

  private static long processorNs(Runnable work) {
    return ns(work, THREADS::getCurrentThreadCpuTime);
  }

  private static long ns(Runnable work, LongSupplier clock) {
    long start = clock.getAsLong();
    work.run();
    return clock.getAsLong() - start;
  }

  /** Thread instructions a second, interpreted and compiled. */
  private static void interpreter(List<Figure> figures) {
    Workload workload = new MatrixProduct(128);
    CompiledPrograms programs = new CompiledPrograms();
    double interpretedRate = 0;
    double compiledRate = 0;
    for (int i = 0; i < 2 * SAMPLES; i++) {
      try (Device device = Device.of(workload)) {
        long[] executed = new long[2];
        long ns =
            processorNs(() ->
                run(
                    device,
                    workload,
                    grid -> {
                      GridRun run = GridRun.interpreted(grid, () -> device, 1);
                      run.start(Runnable::run, () -> false);
                      executed[0] += run.instructions();
                      return run.outcome();
                    }));
        interpretedRate = Math.max(interpretedRate, 32e3 * executed[0] / ns);
      }
      long[] executed = new long[2];
      long ns = onOneThread(workload, programs, executed);
      compiledRate = Math.max(compiledRate, 32e3 * executed[0] / ns);
    }
    figures.add(Figure.info("P15", "mmul 128x128, interpreted", interpretedRate, "Minstr/s"));
    figures.add(Figure.info("P15", "mmul 128x128, compiled", compiledRate, "Minstr/s"));
  }

  /** What each further processor gains, by wall time, in turns. */
  private static void scaling(Workload workload, List<Figure> figures) throws Exception {
    int most = Runtime.getRuntime().availableProcessors();
    List<Integer> counts = new ArrayList<>();
    for (int workers = 1; workers <= most; workers *= 2) {
      counts.add(workers);
    }
    List<Samples> times = counts.stream().map(_ -> new Samples()).toList();
    CompiledPrograms programs = new CompiledPrograms();
    try (ExecutorService executor = Executors.newFixedThreadPool(most)) {
      for (int i = -SCALING_WARM_UP; i < SCALING_SAMPLES; i++) {
        for (int n = 0; n < counts.size(); n++) {
          long ns = onThreads(workload, programs, executor, counts.get(n));
          if (i >= 0) {
            times.get(n).add(ns);
          }
        }
      }
    }
    long alone = times.get(0).p50();
    for (int n = 1; n < counts.size(); n++) {
      String what = workload.name() + ", " + counts.get(n) + " workers, times as fast as one";
      figures.add(Figure.info("P15", what, (double) alone / times.get(n).p50(), ""));
    }
  }

  private static long onThreads(
      Workload workload, CompiledPrograms programs, ExecutorService executor, int workers) {
    Thread waiting = Thread.currentThread();
    try (Device device = Device.of(workload)) {
      return ns(
          () ->
              run(
                  device,
                  workload,
                  grid -> {
                    GridRun run = GridRun.compiled(grid, programs, () -> device, workers);
                    run.start(executor, () -> false, () -> LockSupport.unpark(waiting));
                    while (!run.isDone()) {
                      LockSupport.park();
                    }
                    return run.outcome();
                  }),
          System::nanoTime);
    }
  }
}
