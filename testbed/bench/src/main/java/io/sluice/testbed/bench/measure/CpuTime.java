package io.sluice.testbed.bench.measure;

import java.time.Duration;

/** Processor time of processes, as the operating system accounts it: in steps of 10 ms. */
public final class CpuTime {
  private CpuTime() {}

  /** What a process has used so far. */
  public static Duration of(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("no such process, pid=" + pid));
  }
}
