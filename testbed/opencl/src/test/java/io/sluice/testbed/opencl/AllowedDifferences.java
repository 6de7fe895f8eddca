package io.sluice.testbed.opencl;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/**
 * The lines of programs that may differ between a native and a remoted run, from {@code
 * differences.txt}: a program's name, the start of the lines, and after a {@code #} why.
 */
final class AllowedDifferences {
  private record Allowed(String program, String start) {}

  private final List<Allowed> all;

  private AllowedDifferences(List<Allowed> all) {
    this.all = all;
  }

  static AllowedDifferences read() throws IOException {
    return new AllowedDifferences(
        Files.readAllLines(Tree.module("differences.txt")).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(line -> line.substring(0, line.indexOf(" #")).strip().split(" ", 2))
            .map(words -> new Allowed(words[0], words[1].strip()))
            .toList());
  }

  /** The lines with those that may differ cut to what may not. */
  List<String> without(String program, List<String> lines) {
    return lines.stream().map(line -> cut(program, line)).toList();
  }

  private String cut(String program, String line) {
    for (Allowed allowed : all) {
      if ((allowed.program().equals("*") || allowed.program().equals(program))
          && line.startsWith(allowed.start())) {
        return allowed.start();
      }
    }
    return line;
  }
}
