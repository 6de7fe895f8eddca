package io.sluice.testbed.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The use that a process makes of the machine, from {@code /proc} (proc(5)). */
public final class ProcessUse {
  private static final long TICK_NS = 10_000_000; // USER_HZ

  private final Path process;

  public ProcessUse(long pid) {
    process = Path.of("/proc", Long.toString(pid));
  }

  /** Resident memory, in bytes: anonymous, of files and shared. */
  public long residentBytes() throws IOException {
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no VmRSS in " + process.resolve("status"));
  }

  /** Time on a processor so far, by thread id, in nanoseconds: first field of schedstat. */
  public Map<String, Long> runNs() throws IOException {
    Map<String, Long> byThread = new HashMap<>();
    try (Stream<Path> threads = Files.list(process.resolve("task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        try {
          String text = Files.readString(thread.resolve("schedstat"));
          byThread.put(
              thread.getFileName().toString(),
              Long.parseLong(text.substring(0, text.indexOf(' '))));
        } catch (NoSuchFileException _) {
          // ended since it was listed
        }
      }
    }
    return byThread;
  }

  /**
   * The use of processors by threads so far.
   *
   * @param runNs time on one
   * @param waitNs time in which they had work, and waited for one
   */
  public record Threads(long runNs, long waitNs) {
    public Threads minus(Threads before) {
      return new Threads(runNs - before.runNs, waitNs - before.waitNs);
    }
  }

  /**
   * Each thread by its id, and what those that have ended used together, in steps of 10 ms; digits
   * at the end of a name, which number threads, left out.
   */
  public Map<String, ProcessorAccount.Thread> byThread() throws IOException {
    Map<String, ProcessorAccount.Thread> found = new HashMap<>();
    long left = totalNs();
    try (Stream<Path> threads = Files.list(process.resolve("task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        try {
          String name = Files.readString(thread.resolve("comm")).strip();
          String[] fields = Files.readString(thread.resolve("schedstat")).split(" ", -1);
          Threads used = new Threads(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
          found.put(
              thread.getFileName().toString(),
              new ProcessorAccount.Thread(name.replaceFirst("[-_#\\d]+$", ""), used));
          left -= used.runNs();
        } catch (IOException _) {
          // ended since it was listed
        }
      }
    } catch (NoSuchFileException _) {
      return Map.of(); // the process has
    }
    found.put(
        "ended",
        new ProcessorAccount.Thread("threads that ended", new Threads(Math.max(0, left), 0)));
    return found;
  }

  /** Of all threads, those that ended included: fields 14 and 15 of stat; 0 when it has ended. */
  private long totalNs() throws IOException {
    try {
      String text = Files.readString(process.resolve("stat"));
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      return TICK_NS * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
    } catch (NoSuchFileException _) {
      return 0;
    }
  }

  /** The threads that are named so, from the start: first and second field of schedstat. */
  public Threads threads(String name) throws IOException {
    long runNs = 0;
    long waitNs = 0;
    try (Stream<Path> threads = Files.list(process.resolve("task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        try {
          if (Files.readString(thread.resolve("comm")).startsWith(name)) {
            String[] fields = Files.readString(thread.resolve("schedstat")).split(" ", -1);
            runNs += Long.parseLong(fields[0]);
            waitNs += Long.parseLong(fields[1]);
          }
        } catch (NoSuchFileException _) {
          // ended since it was listed
        }
      }
    }
    return new Threads(runNs, waitNs);
  }

  /** What was run between two {@link #runNs}, threads that ended meanwhile left out. */
  public static long between(Map<String, Long> before, Map<String, Long> after) {
    long sum = 0;
    for (Map.Entry<String, Long> thread : after.entrySet()) {
      sum += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
    }
    return sum;
  }
}
