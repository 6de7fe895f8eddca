package io.sluice.daemon.runtime;

import io.sluice.management.PlainText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The names of programs, by their processes. */
public final class ProcessNames {
  /** The process id of one in the guest's machine, which the host's kernel does not know. */
  public static final int IN_MACHINE = 0;

  private ProcessNames() {}

  /** A process in words: its program and its number, if this host knows it. */
  public static String describe(int pid) {
    return pid == IN_MACHINE ? name(pid) : name(pid) + ", pid " + pid;
  }

  /** The name of a process' program; {@code unknown} when it is gone or in another namespace. */
  public static String name(int pid) {
    return pid == IN_MACHINE ? "in the machine" : ofPeer(pid);
  }

  /** The same of a process of this host, at the other end of a socket. */
  public static String ofPeer(int pid) {
    try {
      return PlainText.of(
          Files.readString(Path.of("/proc", Integer.toString(pid), "comm")).strip());
    } catch (IOException _) {
      return "unknown";
    }
  }
}
