package io.sluice.testbed.bench;

import io.sluice.guest.GuestDevice;
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

/**
 * P1, wall time of a workload: by a process guest against the same on the bare backend, in turns;
 * and in a machine. As the thesis measured: from the first call for the GPU to the last, 11 runs,
 * the first dropped, the rest averaged. Every run's result is compared with a CPU's.
 *
 * <p>Both sides wait by interrupt, and each pair of runs is one after the other, in alternating
 * order, after some that are not measured. Processor time is that of the daemon and of this process
 * together on both sides. It hardly depends on what else the machine does.
 */
final class WorkloadBench implements Measurement {
  private static final String GUEST = "bench";
  private static final int RUNS = 11;
  private static final double GOAL = 1.005;
  private static final long WARM_UP_NS = 15_000_000_000L;

  private final WorkloadChoice choice;
  private final Guests guests;

  /** Which guests run it. */
  enum Guests {
    process,
    machine,
    both
  }

  WorkloadBench(WorkloadChoice choice, Guests guests) {
    this.choice = choice;
    this.guests = guests;
  }

  @Override
  public String id() {
    return "P1";
  }

  @Override
  public String title() {
    return choice.program() + " by guests against the bare backend, " + RUNS + " runs";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    Workload workload = choice.workload(context.longRun());
    List<Figure> figures = new ArrayList<>();
    Series guest = new Series();
    Series backend = new Series();
    try (DaemonProcess daemon = DaemonProcess.start(context.directory(), List.of(GUEST))) {
      // Attached before, as a machine's device is there before a program begins.
      try (GuestDevice device = GuestDevice.attach(context.kernel(), daemon.socket(GUEST));
          DirectGpu gpu = new DirectGpu(context.kernel())) {
        Results results = new Results(workload);
        warmUp(device, daemon, gpu, results);
        for (int i = 0; i < RUNS; i++) {
          if (guests == Guests.machine) {
            backend.add(backend(gpu, daemon, results));
          } else if (i % 2 == 0) {
            guest.add(guest(device, daemon, results));
            backend.add(backend(gpu, daemon, results));
          } else {
            backend.add(backend(gpu, daemon, results));
            guest.add(guest(device, daemon, results));
          }
          context.log().printf("bench: run %d of %d%n", i + 1, RUNS);
        }
      }
      backend.dropFirst();
      figures.addAll(backend.figures(workload.name() + ", bare backend"));
      if (guests != Guests.machine) {
        guest.dropFirst();
        figures.addAll(guest.figures(workload.name() + ", process guest"));
        figures.addAll(ratios(workload.name(), guest, backend));
      }
      if (guests != Guests.process) {
        inMachine(context, daemon, backend, figures);
      }
    }
    return figures;
  }

  /** A daemon runs for days: what HotSpot compiles in its first seconds is not measured. */
  private void warmUp(GuestDevice device, DaemonProcess daemon, DirectGpu gpu, Results results) {
    long end = System.nanoTime() + WARM_UP_NS;
    do {
      Course _ = backend(gpu, daemon, results);
      if (guests != Guests.machine) {
        Course _ = guest(device, daemon, results);
      }
    } while (System.nanoTime() < end);
  }

  private static Course guest(GuestDevice device, DaemonProcess daemon, Results results) {
    Duration before = cpu(daemon);
    long start = System.nanoTime();
    long executed;
    try (GuestPort port = new GuestPort(device, true)) {
      executed = results.run(port);
    }
    long end = System.nanoTime();
    return new Course(end - start, executed, cpu(daemon).minus(before).toNanos());
  }

  /**
   * Of the daemon and this process, whichever of them is the GPU: the other one looks at its idle
   * channels meanwhile.
   */
  private static Duration cpu(DaemonProcess daemon) {
    return CpuTime.of(daemon.pid()).plus(CpuTime.of(ProcessHandle.current().pid()));
  }

  private static Course backend(DirectGpu gpu, DaemonProcess daemon, Results results) {
    Duration before = cpu(daemon);
    long start = System.nanoTime();
    long executed;
    try (DirectChannel channel = gpu.openWithInterrupt()) {
      executed = results.run(channel);
    }
    long end = System.nanoTime();
    return new Course(end - start, executed, cpu(daemon).minus(before).toNanos());
  }

  private static List<Figure> ratios(String name, Series guest, Series backend) {
    return List.of(
        Figure.info(
            "P1", name + ", CPU time, guest / backend", guest.cpuMs() / backend.cpuMs(), ""),
        Figure.info(
            "P1",
            name + ", kernels, guest / backend",
            guest.meanExecutedMs() / backend.meanExecutedMs(),
            ""),
        Figure.info("P1", name + ", median of pairs' ratios", guest.medianRatioTo(backend), ""),
        Figure.info(
            "P1", name + ", medians, guest / backend", guest.medianMs() / backend.medianMs(), ""),
        Figure.atMost(
            "P1", name + ", means, guest / backend", guest.meanMs() / backend.meanMs(), "", GOAL));
  }

  private void inMachine(
      BenchContext context, DaemonProcess daemon, Series backend, List<Figure> figures)
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
    figures.add(
        Figure.info(
            "P1",
            name + ", GPU time in a machine / kernels on the backend",
            machine.gpuMs() / backend.meanExecutedMs(),
            ""));
  }

  /** The course of a run: all of it, its kernels, CPU time of all who take part. */
  private record Course(long ns, long executedNs, long cpuNs) {}

  private static final class Series {
    private final List<Course> courses = new ArrayList<>();

    void add(Course course) {
      courses.add(course);
    }

    void dropFirst() {
      courses.removeFirst();
    }

    List<Figure> figures(String name) {
      return List.of(
          Figure.info("P1", name + ": mean", meanMs(), "ms"),
          Figure.info("P1", name + ": kernels", meanExecutedMs(), "ms"),
          Figure.info("P1", name + ": CPU time", cpuMs(), "ms"));
    }

    /** Of runs that followed each other, so that what changes slowly concerns both. */
    double medianRatioTo(Series other) {
      double[] ratios = new double[courses.size()];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = (double) courses.get(i).ns / other.courses.get(i).ns;
      }
      Arrays.sort(ratios);
      int middle = ratios.length / 2;
      return (ratios[middle] + ratios[(ratios.length - 1) / 2]) / 2;
    }

    double meanMs() {
      return courses.stream().mapToLong(Course::ns).average().orElseThrow() / 1e6;
    }

    double medianMs() {
      long[] sorted = courses.stream().mapToLong(Course::ns).sorted().toArray();
      int middle = sorted.length / 2;
      return (sorted[middle] + sorted[(sorted.length - 1) / 2]) / 2e6;
    }

    double meanExecutedMs() {
      return courses.stream().mapToLong(Course::executedNs).average().orElseThrow() / 1e6;
    }

    double cpuMs() {
      return courses.stream().mapToLong(Course::cpuNs).average().orElseThrow() / 1e6;
    }
  }

  /** Runs the workload and compares: the first run with the CPU's result, the others with it. */
  private static final class Results {
    private final Workload workload;
    private final List<int[]> first = new ArrayList<>();
    private final List<Workload.Expected> expected;

    Results(Workload workload) {
      this.workload = workload;
      this.expected = workload.expected();
    }

    /** The time that the kernels took, in ns. */
    long run(ComputePort port) {
      WorkloadRun run = new WorkloadRun(workload, port);
      run.upload();
      long start = System.nanoTime();
      run.execute();
      long executed = System.nanoTime() - start;
      List<int[]> found = new ArrayList<>();
      for (Workload.Expected e : expected) {
        found.add(run.read(e.buffer(), e.words().length));
      }
      check(found);
      return executed;
    }

    private void check(List<int[]> found) {
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
