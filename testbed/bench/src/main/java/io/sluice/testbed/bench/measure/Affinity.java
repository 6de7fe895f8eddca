package io.sluice.testbed.bench.measure;

import java.io.IOException;

/** The processors that processes are put on, by taskset of util-linux. */
public final class Affinity {
  private Affinity() {}

  /**
   * Puts all threads of a process on some processors.
   *
   * @param processors a list as taskset takes it, such as {@code 0} or {@code 0-1}
   */
  public static void set(long pid, String processors) throws IOException, InterruptedException {
    Process taskset =
        new ProcessBuilder("taskset", "-a", "-c", "-p", processors, Long.toString(pid))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (taskset.waitFor() != 0) {
      throw new IOException("taskset could not put process " + pid + " on " + processors);
    }
  }

  /** All processors of this machine. */
  public static String all() {
    return "0-" + (Runtime.getRuntime().availableProcessors() - 1);
  }
}
