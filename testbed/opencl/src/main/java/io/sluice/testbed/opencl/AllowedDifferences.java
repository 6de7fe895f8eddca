package io.sluice.testbed.opencl;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/**
 * The lines of programs that may differ between a native and a remoted run, from {@code
 * differences.txt}: each says what the remoted line must be, so that a difference that is allowed
 * is pinned.
 */
public final class AllowedDifferences {
  private static final String ANY = "*";
  private static final int COLUMNS = 4;

  /**
   * A line that may differ.
   *
   * @param start of both lines
   * @param remoted the rest of the remoted line, or {@value #ANY}
   */
  private record Allowed(String program, String start, String remoted) {
    boolean isOf(String name, String line) {
      return (program.equals(ANY) || program.equals(name)) && line.startsWith(start);
    }

    boolean isAny() {
      return remoted.equals(ANY);
    }
  }

  private final List<Allowed> all;

  private AllowedDifferences(List<Allowed> all) {
    this.all = all;
  }

  /** Those of the file. */
  public static AllowedDifferences read() throws IOException {
    return new AllowedDifferences(
        Files.readAllLines(Tree.module("differences.txt")).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(line -> line.split(" \\| ", COLUMNS))
            .map(columns -> new Allowed(columns[0], columns[1], columns[2]))
            .toList());
  }

  /** What the remoted run must print, given what the native one printed. */
  public List<String> expected(String program, List<String> lines) {
    return lines.stream().map(line -> expected(program, line)).toList();
  }

  private String expected(String program, String line) {
    for (Allowed allowed : all) {
      if (allowed.isOf(program, line)) {
        return allowed.isAny() ? allowed.start() : allowed.start() + " " + allowed.remoted();
      }
    }
    return line;
  }

  /** What the remoted run printed, without what may be anything. */
  public List<String> printed(String program, List<String> lines) {
    return lines.stream().map(line -> printed(program, line)).toList();
  }

  private String printed(String program, String line) {
    for (Allowed allowed : all) {
      if (allowed.isAny() && allowed.isOf(program, line)) {
        return allowed.start();
      }
    }
    return line;
  }
}
