package io.sluice.testbed.bench.submission;

import io.sluice.testbed.bench.measure.CpuTime;
import io.sluice.testbed.bench.measure.ProcessUse;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The runs of a workload program in a machine with one processor, without the first ones; means.
 *
 * @param totalMs a run from its first call to its last
 * @param executedMs of it, the kernels
 * @param gpuMs of it, between the GPU's time stamps around the kernels
 * @param cpuMs CPU time of the daemon, mean of the same runs
 * @param gridsMs of it, the threads that run the grids
 * @param waitedMs how long these had work and no processor, added up
 */
record MachineSeries(
    double totalMs,
    double executedMs,
    double gpuMs,
    double cpuMs,
    double gridsMs,
    double waitedMs) {
  /** What the names of the daemon's threads for grids begin with. */
  private static final String GRID_THREADS = "sm-";

  private static final Duration BOOT = Duration.ofMinutes(3);
  private static final Duration RUN = Duration.ofMinutes(9);

  /**
   * @param command with the number of runs, those that are dropped included
   * @param dropped how many of the first runs are not counted
   */
  static MachineSeries run(
      MachineEnvironment environment,
      DaemonProcess daemon,
      String guest,
      String command,
      int dropped)
      throws IOException, InterruptedException {
    List<Map<String, Double>> runs = new ArrayList<>();
    String program = command.substring(0, command.indexOf(' '));
    MachineGuest.Setup setup =
        new MachineGuest.Setup(
            environment.image(),
            List.of(daemon.socket(guest)),
            command,
            Optional.empty(),
            List.of());
    Duration cpu;
    ProcessUse use = new ProcessUse(daemon.pid());
    ProcessUse.Threads grids;
    try (MachineGuest machine = MachineGuest.start(environment, setup, _ -> {})) {
      machine.await("SLUICE-BOOTED ", BOOT);
      int expected = Integer.parseInt(command.replaceAll(".*--runs (\\d+).*", "$1"));
      for (int i = 0; i < dropped; i++) {
        String _ = machine.await("run: " + program + " ", RUN);
      }
      Duration before = CpuTime.of(daemon.pid());
      ProcessUse.Threads gridsBefore = use.threads(GRID_THREADS);
      for (int i = dropped; i < expected; i++) {
        runs.add(parse(machine.await("run: " + program + " ", RUN)));
      }
      cpu = CpuTime.of(daemon.pid()).minus(before);
      grids = use.threads(GRID_THREADS).minus(gridsBefore);
      int status = machine.awaitExit(RUN);
      if (status != 0) {
        throw new IOException(command + " ended with " + status + "\n" + machine.console());
      }
    }
    double perMs = 1e6 * runs.size();
    return new MachineSeries(
        mean(runs, "total_ms"),
        mean(runs, "exec_ms"),
        mean(runs, "gpu_ms"),
        cpu.toNanos() / perMs,
        grids.runNs() / perMs,
        grids.waitNs() / perMs);
  }

  /** {@code 3 exec_ms=1.5 ...} */
  private static Map<String, Double> parse(String line) {
    Map<String, Double> values = new HashMap<>();
    for (String part : line.split(" ", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        values.put(part.substring(0, equals), Double.parseDouble(part.substring(equals + 1)));
      }
    }
    return values;
  }

  private static double mean(List<Map<String, Double>> runs, String key) {
    return runs.stream()
        .mapToDouble(run -> run.getOrDefault(key, Double.NaN))
        .average()
        .orElse(Double.NaN);
  }
}
