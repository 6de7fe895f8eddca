package io.sluice.testbed.machine;

import java.io.IOException;

/** What tests do to processes by their ids. */
final class Processes {
  private Processes() {}

  /**
   * Sends a signal.
   *
   * @param name such as {@code STOP}
   */
  static void signal(long pid, String name) throws IOException, InterruptedException {
    int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + " " + pid + " ended with " + status);
    }
  }
}
