package io.sluice.testbed.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The page docs/performance.md, made of the recordings in docs/results: of each bench in one line
 * what it measures, how many goals are met, its known limit, which a bench that is short of one
 * must have, and how to repeat it; and of each figure with a goal the newest result on each
 * machine.
 */
public final class PerformancePage {
  /** The page, from the root of the tree. */
  public static final Path PAGE = Path.of("docs/performance.md");

  /** The recordings and the list of benches, from the root of the tree. */
  public static final Path RESULTS = Path.of("docs/results");

  private static final String BENCHES = "benches.json";

  private record Row(Figure figure, Recording recording) {}

  private PerformancePage() {}

  /** The page of the tree at that directory. */
  public static String of(Path home) throws IOException {
    Path results = home.resolve(RESULTS);
    List<BenchEntry> benches = BenchEntry.readAll(Files.readString(results.resolve(BENCHES)));
    List<Recording> recordings = new ArrayList<>();
    try (Stream<Path> files = Files.list(results)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".json") && !name.equals(BENCHES)) {
          recordings.add(RecordingJson.read(Files.readString(file)));
        }
      }
    }
    return of(benches, recordings);
  }

  /** The page of those recordings: of each figure the newest counts. */
  static String of(List<BenchEntry> benches, List<Recording> recordings) {
    Map<String, Row> newest = new LinkedHashMap<>();
    for (Recording recording :
        recordings.stream().sorted(Comparator.comparing(Recording::at)).toList()) {
      for (Figure figure : recording.figures()) {
        if (figure.relation() != Figure.Relation.NONE) {
          String key = figure.bench() + '\n' + figure.what() + '\n' + recording.machine();
          newest.put(key, new Row(figure, recording));
        }
      }
    }
    List<String> machines =
        newest.values().stream().map(row -> row.recording.machine()).distinct().toList();
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Performance

        Made of [results/](results/) by `./sluice bench --page`; `./sluice bench P2 --record` measures and adds to them.
        Each figure is a ratio to a peer or limit that was measured in the same run, or a count; absolute times only where
        hardware is the limit. On shared machines medians of two runs differ by several per cent.
        A result is the median of its measurements, or what its line says. Where its record has them, their number n stands
        behind it, and p99: the same at their 99th percentile, of a ratio that of both sides.
        What measures nothing but code is on JMH (`./sluice bench jmh`). P8 and P15 measure code and are not: each is a ratio
        to a peer that is measured in turns with it in the same run, where JMH runs one benchmark after the other; their
        sources say more.

        | machine | |
        |---|---|
        """);
    for (String machine : machines) {
      page.append("| ")
          .append(letter(machines, machine))
          .append(" | ")
          .append(machine)
          .append(" |\n");
    }
    page.append(
        """

        ## At a glance

        | # | measures | goals met | known limit | command |
        |---|---|---|---|---|
        """);
    for (BenchEntry bench : benches) {
      page.append(summary(bench, of(bench, newest)));
    }
    page.append(
        """

        ## Figures with a goal

        | # | what | goal | result | | machine | date | tree |
        |---|---|---|---|---|---|---|---|
        """);
    for (BenchEntry bench : benches) {
      of(bench, newest).stream()
          .sorted(Comparator.comparing(row -> machines.indexOf(row.recording.machine())))
          .forEach(row -> page.append(line(row, letter(machines, row.recording.machine()))));
    }
    return page.toString();
  }

  private static List<Row> of(BenchEntry bench, Map<String, Row> newest) {
    return newest.values().stream().filter(row -> row.figure.bench().equals(bench.id())).toList();
  }

  private static String summary(BenchEntry bench, List<Row> rows) {
    long met = rows.stream().filter(row -> row.figure.met()).count();
    if (met < rows.size() && bench.limit().isEmpty()) {
      throw new IllegalArgumentException("short without a known limit, bench=" + bench.id());
    }
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | `%s` |%n",
        bench.id(),
        bench.measures(),
        rows.isEmpty() ? "not recorded" : goals(met, rows.size()),
        bench.limit(),
        bench.command());
  }

  private static String goals(long met, int all) {
    return met == all ? "all of " + all : "**" + met + " of " + all + "**";
  }

  /** As a bench prints it, without zeros at the end of a fraction. */
  private static String number(double value) {
    String printed = Figure.format(value);
    return printed.contains(".") ? printed.replaceFirst("[.]?0+$", "") : printed;
  }

  private static char letter(List<String> machines, String machine) {
    return (char) ('A' + machines.indexOf(machine));
  }

  /** In brackets what its record has: {@code (p99 3.2 us, n 100)}, or nothing. */
  private static String spread(Spread spread, String unit) {
    List<String> parts = new ArrayList<>();
    if (!Double.isNaN(spread.p99())) {
      parts.add("p99 " + number(spread.p99()) + unit);
    }
    if (spread.count() > 0) {
      parts.add("n " + spread.count());
    }
    return parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")";
  }

  private static String line(Row row, char machine) {
    Figure figure = row.figure;
    String unit = figure.unit().isEmpty() ? "" : " " + figure.unit();
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s %s%s | %s%s%s | %s | %s | %s | %s |%n",
        figure.bench(),
        figure.what(),
        figure.relation().sign(),
        number(figure.goal()),
        unit,
        number(figure.value()),
        unit,
        spread(figure.spread(), unit),
        figure.met() ? "met" : "**short**",
        machine,
        row.recording.at().toLocalDate(),
        row.recording.commit());
  }
}
