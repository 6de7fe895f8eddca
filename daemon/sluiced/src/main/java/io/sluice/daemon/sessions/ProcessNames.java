package io.sluice.daemon.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The names of programs, by their processes. */
final class ProcessNames {
  private ProcessNames() {}

  /** The name of a process' program; {@code unknown} when it is gone or in another namespace. */
  static String name(int pid) {
    try {
      return Files.readString(Path.of("/proc", Integer.toString(pid), "comm"))
          .strip()
          .replaceAll("\\p{Cntrl}", " ");
    } catch (IOException _) {
      return "unknown";
    }
  }
}
