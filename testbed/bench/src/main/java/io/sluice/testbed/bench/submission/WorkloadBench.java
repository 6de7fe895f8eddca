package io.sluice.testbed.bench.submission;

import io.sluice.guest.AttachedDevice;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.CpuTime;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.ProcessUse;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.device.ComputePort;
import io.sluice.testbed.workloads.device.GuestPort;
import io.sluice.testbed.workloads.device.WorkloadRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * P1, wall time of a workload: by a process guest against the same on the bare backend, in turns;
 * and in a machine. As the thesis measured: from the first call for the GPU to the last, 11 runs,
 * the first dropped; short programs have more, since a median of ten says little. Every run's
 * result is compared with a CPU's.
 *
 * <p>Both sides wait by interrupt, and each pair of runs is one after the other, in alternating
 * order, after some that are not measured. What is submitted is told apart from what takes calls:
 * the one passes through, the other is mediated. Processor time is that of the daemon and of this
 * process together on both sides. It hardly depends on what else the machine does.
 */
public final class WorkloadBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int RUNS = 11;
  private static final int MOST_RUNS = 1001;
  private static final double GOAL = 1.005;
  private static final long WARM_UP_NS = 15_000_000_000L;
  private static final long MEASURE_NS = 20_000_000_000L;

  private final WorkloadChoice choice;
  private final Guests guests;

  /** The guests that run it. */
  public enum Guests {
    process,
    machine,
    both
  }

  public WorkloadBench(WorkloadChoice choice, Guests guests) {
    this.choice = choice;
    this.guests = guests;
  }

  @Override
  public String id() {
    return "P1";
  }

  @Override
  public String title() {
    return choice.program() + " by guests against the bare backend, " + RUNS + " runs or more";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    Workload workload = choice.workload(context.longRun());
    List<Figure> figures = new ArrayList<>();
    Courses guest = new Courses();
    Courses backend = new Courses();
    ProcessUse.Threads grids;
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST))) {
      // Attached before, as a machine's device is there before a program begins.
      try (AttachedDevice device = AttachedDevice.attach(context.kernel(), daemon.socket(GUEST));
          DirectGpu gpu = new DirectGpu(context.kernel())) {
        Results results = new Results(workload);
        warmUp(device, daemon, gpu, results);
        ProcessUse use = new ProcessUse(ProcessHandle.current().pid());
        ProcessUse.Threads before = use.threads(DirectGpu.THREADS);
        long end = System.nanoTime() + MEASURE_NS;
        for (int i = 0; i < RUNS || i < MOST_RUNS && System.nanoTime() < end; i++) {
          if (guests == Guests.machine) {
            backend.add(backend(gpu, daemon, results));
          } else if (i % 2 == 0) {
            guest.add(guest(device, daemon, results));
            backend.add(backend(gpu, daemon, results));
          } else {
            backend.add(backend(gpu, daemon, results));
            guest.add(guest(device, daemon, results));
          }
        }
        grids = use.threads(DirectGpu.THREADS).minus(before);
      }
      double gridsMs = grids.runNs() / 1e6 / backend.count();
      backend.dropFirst();
      context.log().printf("bench: %d runs measured%n", backend.count());
      figures.addAll(backend.figures(workload.name() + ", bare backend"));
      figures.add(grids(workload.name() + ", bare backend", gridsMs));
      if (guests != Guests.machine) {
        guest.dropFirst();
        figures.addAll(guest.figures(workload.name() + ", process guest"));
        figures.addAll(ratios(workload.name(), guest, backend));
      }
      if (guests != Guests.process) {
        inMachine(context, daemon, backend, gridsMs, figures);
      }
    }
    return figures;
  }

  /** A daemon runs for days: what HotSpot compiles in its first seconds is not measured. */
  private void warmUp(AttachedDevice device, DaemonProcess daemon, DirectGpu gpu, Results results)
      throws Exception {
    long end = System.nanoTime() + WARM_UP_NS;
    do {
      Course _ = backend(gpu, daemon, results);
      if (guests != Guests.machine) {
        Course _ = guest(device, daemon, results);
      }
    } while (System.nanoTime() < end);
  }

  private static Course guest(AttachedDevice device, DaemonProcess daemon, Results results)
      throws Exception {
    return course(() -> new GuestPort(device, true), daemon, results);
  }

  private static Course backend(DirectGpu gpu, DaemonProcess daemon, Results results)
      throws Exception {
    return course(gpu::openWithInterrupt, daemon, results);
  }

  private static <P extends ComputePort & AutoCloseable> Course course(
      Supplier<P> open, DaemonProcess daemon, Results results) throws Exception {
    Duration before = cpu(daemon);
    long start = System.nanoTime();
    long ready;
    long uploaded;
    long executed;
    long read;
    List<int[]> found;
    try (P port = open.get()) {
      WorkloadRun run = new WorkloadRun(results.workload, port);
      ready = System.nanoTime();
      run.upload();
      uploaded = System.nanoTime();
      run.execute();
      executed = System.nanoTime();
      found = results.read(run);
      read = System.nanoTime();
    }
    long end = System.nanoTime();
    long cpuNs = cpu(daemon).minus(before).toNanos();
    results.check(found);
    return new Course(
        ready - start, uploaded - ready, executed - uploaded, read - executed, end - read, cpuNs);
  }

  /**
   * Of the daemon and this process, whichever of them is the GPU: the other one looks at its idle
   * channels meanwhile.
   */
  private static Duration cpu(DaemonProcess daemon) {
    return CpuTime.of(daemon.pid()).plus(CpuTime.of(ProcessHandle.current().pid()));
  }

  private static List<Figure> ratios(String name, Courses guest, Courses backend) {
    return List.of(
        info(name + ", CPU time", guest.meanMs(Course::cpuNs) / backend.meanMs(Course::cpuNs)),
        info(
            name + ", kernels, median of pairs' ratios",
            guest.medianRatioTo(backend, Course::kernelsNs)),
        info(
            name + ", medians",
            guest.medianMs(Course::totalNs) / backend.medianMs(Course::totalNs)),
        info(name + ", means", guest.meanMs(Course::totalNs) / backend.meanMs(Course::totalNs)),
        Figure.atMost(
                "P1",
                name + ", what is submitted, guest / backend, median of pairs' ratios",
                guest.medianRatioTo(backend, Course::submittedNs),
                "",
                GOAL)
            .ofMany(guest.count()),
        Figure.atMost(
                "P1",
                name + ", all, guest / backend, median of pairs' ratios",
                guest.medianRatioTo(backend, Course::totalNs),
                "",
                GOAL)
            .ofMany(guest.count()));
  }

  private static Figure info(String what, double ratio) {
    return Figure.info("P1", what + ", guest / backend", ratio, "");
  }

  /** What the GPU's own work takes of processors, however long it waits for one. */
  private static Figure grids(String where, double ms) {
    return Figure.info("P1", where + ": processor time of the grids", ms, "ms");
  }

  private void inMachine(
      BenchContext context,
      DaemonProcess daemon,
      Courses backend,
      double backendGridsMs,
      List<Figure> figures)
      throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    if (environment.isEmpty()) {
      context.log().println("bench: no machine environment: not measured in a machine");
      return;
    }
    int dropped = choice.warmUpRuns() + 1;
    String command = choice.command(context.longRun(), dropped + RUNS - 1);
    MachineSeries machine = MachineSeries.run(environment.get(), daemon, GUEST, command, dropped);
    String name = choice.program().name();
    figures.add(Figure.info("P1", name + " in a machine: mean", machine.totalMs(), "ms"));
    figures.add(Figure.info("P1", name + " in a machine: kernels", machine.executedMs(), "ms"));
    figures.add(Figure.info("P1", name + " in a machine: GPU time", machine.gpuMs(), "ms"));
    figures.add(
        Figure.info("P1", name + " in a machine: CPU time of the daemon", machine.cpuMs(), "ms"));
    figures.add(grids(name + " in a machine", machine.gridsMs()));
    figures.add(
        Figure.info(
            "P1", name + " in a machine: grids waited for a processor", machine.waitedMs(), "ms"));
    figures.add(
        Figure.info(
            "P1",
            name + ", processor time of the grids, in a machine / on the backend",
            machine.gridsMs() / backendGridsMs,
            ""));
    figures.add(
        Figure.info(
            "P1",
            name + ", GPU time in a machine / kernels on the backend",
            machine.gpuMs() / backend.meanMs(Course::kernelsNs),
            ""));
  }

  /** Compares results: those of the first run with the CPU's, the others with them. */
  private static final class Results {
    private final Workload workload;
    private final List<int[]> first = new ArrayList<>();
    private final List<Workload.Expected> expected;

    Results(Workload workload) {
      this.workload = workload;
      this.expected = workload.expected();
    }

    List<int[]> read(WorkloadRun run) {
      return expected.stream().map(e -> run.read(e.buffer(), e.words().length)).toList();
    }

    void check(List<int[]> found) {
      for (int i = 0; i < found.size(); i++) {
        boolean right =
            first.isEmpty()
                ? expected.get(i).firstWrong(found.get(i)) == -1
                : Arrays.equals(first.get(i), found.get(i));
        if (!right) {
          throw new IllegalStateException(workload.name() + ": wrong result");
        }
      }
      if (first.isEmpty()) {
        first.addAll(found);
      }
    }
  }
}
