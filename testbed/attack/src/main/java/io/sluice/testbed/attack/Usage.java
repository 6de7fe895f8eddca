package io.sluice.testbed.attack;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The part of the host that processes have had until a moment.
 *
 * @param processorNs time of processors
 * @param sleeps how often threads that are there have gone to sleep
 * @param atNs the moment
 */
record Usage(long processorNs, long sleeps, long atNs) {
  private static final String SLEEPS = "voluntary_ctxt_switches:";

  static Usage of(List<ProcessHandle> processes) {
    long processorNs = 0;
    long sleeps = 0;
    for (ProcessHandle process : processes) {
      processorNs += process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
      sleeps += sleeps(process.pid());
    }
    return new Usage(processorNs, sleeps, System.nanoTime());
  }

  private static long sleeps(long pid) {
    long sleeps = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads) {
        sleeps += ofThread(thread);
      }
    } catch (IOException e) {
      return sleeps; // it has ended
    }
    return sleeps;
  }

  private static long ofThread(Path thread) {
    try {
      return Files.readAllLines(thread.resolve("status")).stream()
          .filter(line -> line.startsWith(SLEEPS))
          .mapToLong(line -> Long.parseLong(line.substring(SLEEPS.length()).strip()))
          .sum();
    } catch (IOException e) {
      return 0; // it has ended
    }
  }

  Burden since(Usage begin) {
    double ns = Math.max(1, atNs - begin.atNs);
    return new Burden(
        (processorNs - begin.processorNs) / ns,
        Math.max(0, sleeps - begin.sleeps) * (double) TimeUnit.SECONDS.toNanos(1) / ns);
  }
}
