package io.sluice.daemon.turns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The time that a process has had of processors. Read from its {@code stat} alone: what else the
 * kernel tells of a process may wait for a lock that the process can hold for as long as it likes.
 */
final class ProcessorTime {
  /** One of {@code USER_HZ}, the same on all machines with which we work. */
  private static final long TICK_NS = Duration.ofMillis(10).toNanos();

  /** Fields of {@code stat}, counted from the one after the program's name: proc(5). */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  private ProcessorTime() {}

  /** The time of a process; none when it is gone. */
  static long ofNs(long pid) {
    return readNs(Path.of("/proc", Long.toString(pid), "stat"));
  }

  /**
   * The same.
   *
   * @param stat the file
   */
  static long readNs(Path stat) {
    try {
      String line = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
      // The name, in parentheses, is the process' own choice.
      String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ", -1);
      return (Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM])) * TICK_NS;
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException _) {
      return 0;
    }
  }
}
