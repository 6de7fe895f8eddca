package io.sluice.daemon.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The names of programs, by their processes. */
final class ProcessNames {
  /** The process id of one in the guest's machine, which the host's kernel does not know. */
  static final int IN_MACHINE = 0;

  private ProcessNames() {}

  /** A process in words: its program and its number, if this host knows it. */
  static String describe(int pid) {
    return pid == IN_MACHINE ? name(pid) : name(pid) + ", pid " + pid;
  }

  /** The name of a process' program; {@code unknown} when it is gone or in another namespace. */
  static String name(int pid) {
    if (pid == IN_MACHINE) {
      return "in the machine";
    }
    try {
      return Files.readString(Path.of("/proc", Integer.toString(pid), "comm"))
          .strip()
          .replaceAll("\\p{Cntrl}", " ");
    } catch (IOException _) {
      return "unknown";
    }
  }
}
