package io.sluice.testbed.bench.measure;

import io.sluice.testbed.bench.measure.ProcessUse.Threads;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The account of who has used the processors between two moments: the threads of some processes by
 * their names, and what else runs on this machine.
 */
public final class ProcessorAccount {
  private static final Path STAT = Path.of("/proc/stat");
  private static final double TICK_MS = 10; // USER_HZ

  /** Fields of the line {@code cpu} of {@code /proc/stat}, see proc_stat(5). */
  private static final int FIELDS = 8;

  private static final int IDLE = 3;
  private static final int IO_WAIT = 4;
  private static final int SOFT_INTERRUPTS = 6;
  private static final int STEAL = 7;

  private final Map<String, ProcessUse> processes = new LinkedHashMap<>();

  /** A process to look at from now on, until it has ended. */
  public void add(String name, long pid) {
    processes.put(name, new ProcessUse(pid));
  }

  /** The use of all threads up to a moment, by process and thread id; the machine's in ticks. */
  public record Moment(long atNs, Map<String, Map<String, Thread>> threads, List<Long> machine) {}

  /** A thread that was seen. */
  public record Thread(String name, Threads used) {}

  /** Now. */
  public Moment now() throws IOException {
    Map<String, Map<String, Thread>> threads = new LinkedHashMap<>();
    for (Map.Entry<String, ProcessUse> process : processes.entrySet()) {
      threads.put(process.getKey(), process.getValue().byThread());
    }
    String[] fields = Files.readAllLines(STAT).getFirst().split(" +", -1);
    List<Long> machine = new ArrayList<>();
    for (int i = 0; i < FIELDS; i++) {
      machine.add(Long.parseLong(fields[1 + i]));
    }
    return new Moment(System.nanoTime(), threads, machine);
  }

  /**
   * Prints who used how much between moments that follow each other, those of least use left out.
   *
   * @param stages names of the times between them
   */
  public static void print(PrintStream out, List<String> stages, List<Moment> moments) {
    Map<String, double[]> parts = new TreeMap<>();
    double[] length = new double[stages.size()];
    double[] busy = new double[stages.size()];
    double[] soft = new double[stages.size()];
    for (int i = 0; i < stages.size(); i++) {
      Moment from = moments.get(i);
      Moment to = moments.get(i + 1);
      length[i] = (to.atNs() - from.atNs()) / 1e6;
      for (int field = 0; field < FIELDS; field++) {
        double ms = TICK_MS * (to.machine().get(field) - from.machine().get(field));
        busy[i] += field == IDLE || field == IO_WAIT || field == STEAL ? 0 : ms;
        soft[i] += field == SOFT_INTERRUPTS ? ms : 0;
      }
      add(parts, i, 2 * stages.size(), from, to);
    }
    out.printf(Locale.ROOT, "processor time, and time without one though ready, in ms%n");
    line(out, "", stages.stream().map(stage -> stage + ", ready").toList());
    line(out, "length", whole(length));
    line(out, "all of the machine", whole(busy));
    line(out, "of it soft interrupts", whole(soft));
    parts.entrySet().stream()
        .sorted((a, b) -> Double.compare(sum(b.getValue()), sum(a.getValue())))
        .filter(part -> sum(part.getValue()) >= 10)
        .forEach(part -> line(out, part.getKey(), pairs(part.getValue())));
  }

  private static void add(
      Map<String, double[]> parts, int stage, int width, Moment from, Moment to) {
    to.threads()
        .forEach((process, threads) -> {
          Map<String, Thread> before = from.threads().getOrDefault(process, Map.of());
          threads.forEach((id, thread) -> {
            Thread then = before.get(id);
            Threads used = then == null ? thread.used() : thread.used().minus(then.used());
            String part = process + ": " + thread.name();
            double[] row = parts.computeIfAbsent(part, _ -> new double[width]);
            row[2 * stage] += used.runNs() / 1e6;
            row[2 * stage + 1] += used.waitNs() / 1e6;
          });
        });
  }

  private static double sum(double[] row) {
    double sum = 0;
    for (int i = 0; i < row.length; i += 2) {
      sum += row[i];
    }
    return sum;
  }

  private static List<String> whole(double[] values) {
    List<String> cells = new ArrayList<>();
    for (double value : values) {
      cells.add(String.format(Locale.ROOT, "%.0f", value));
    }
    return cells;
  }

  private static List<String> pairs(double[] row) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < row.length; i += 2) {
      cells.add(String.format(Locale.ROOT, "%.0f, %.0f", row[i], row[i + 1]));
    }
    return cells;
  }

  private static void line(PrintStream out, String name, List<String> cells) {
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "  %-40s", name));
    cells.forEach(cell -> text.append(String.format(Locale.ROOT, " %22s", cell)));
    out.println(text);
  }
}
