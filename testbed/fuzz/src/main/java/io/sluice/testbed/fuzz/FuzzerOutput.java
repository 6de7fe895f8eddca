package io.sluice.testbed.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The output of the fuzzer, as far as it counts: Jazzer prints as libFuzzer does. */
final class FuzzerOutput {
  private static final Pattern COVERAGE = Pattern.compile("#(\\d+)\\s+(\\w+)\\s+cov: (\\d+).*");
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second.*");
  private static final Pattern WRITTEN = Pattern.compile(".*Test unit written to (\\S+)");
  private static final Pattern EXCEPTION = Pattern.compile("== (Java Exception: .*)");
  private static final Pattern LIBFUZZER = Pattern.compile("==\\d+== ERROR: libFuzzer: (.*)");

  private final List<String> inputs = new ArrayList<>();
  private @Nullable String finding;
  private long runs;
  private long seconds;
  private long known = -1; // edges that the corpus reached before anything was changed
  private long reached;

  /** Takes the next line. */
  void take(String line) {
    Matcher coverage = COVERAGE.matcher(line);
    if (coverage.matches()) {
      runs = Math.max(runs, Long.parseLong(coverage.group(1)));
      reached = Long.parseLong(coverage.group(3));
      if (coverage.group(2).equals("INITED")) {
        known = reached;
      }
    }
    Matcher done = DONE.matcher(line);
    if (done.matches()) {
      runs = Math.max(runs, Long.parseLong(done.group(1)));
      seconds = Long.parseLong(done.group(2));
    }
    Matcher written = WRITTEN.matcher(line);
    if (written.matches()) {
      inputs.add(written.group(1));
    }
    for (Pattern pattern : List.of(EXCEPTION, LIBFUZZER)) {
      Matcher found = pattern.matcher(line);
      if (finding == null && found.matches()) {
        finding = found.group(1);
      }
    }
  }

  /** What was found, in the fuzzer's words; null for nothing. */
  @Nullable String finding() {
    return finding;
  }

  /** The files with inputs that found something. */
  List<String> inputs() {
    return inputs;
  }

  long runs() {
    return runs;
  }

  /** Edges of the code that were reached and had not been by the corpus. */
  long newCoverage() {
    return known < 0 ? 0 : reached - known;
  }

  /** A line of it all. */
  String text(String target) {
    return String.format(
        Locale.ROOT,
        "%-14s %,12d runs %,9d/s, coverage %5d, new %4d, findings %d",
        target,
        runs,
        runs / Math.max(1, seconds),
        reached,
        newCoverage(),
        finding == null ? 0 : 1);
  }
}
