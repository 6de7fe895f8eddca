package io.sluice.testbed.machine.support;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What tests do to processes by their ids. */
public final class Processes {
  private Processes() {}

  /**
   * Sends a signal.
   *
   * @param name such as {@code STOP}
   */
  public static void signal(long pid, String name) throws IOException, InterruptedException {
    int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + " " + pid + " ended with " + status);
    }
  }

  /** Stops a process. None of its threads runs any more when this returns. */
  public static void stop(long pid) throws IOException, InterruptedException {
    signal(pid, "STOP");
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsInstanceOf(IOException.class) // a thread that has ended meanwhile
        .until(() -> {
          try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads.toList()) {
              List<String> status = Files.readAllLines(thread.resolve("status"));
              if (!status.contains("State:\tT (stopped)")) {
                return false;
              }
            }
          }
          return true;
        });
  }
}
