package io.sluice.testbed.bench.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The count of lines of source that are neither blank nor comments. */
final class CodeLines {
  private static final String OPENS = "/*";
  private static final String CLOSES = "*/";

  private CodeLines() {}

  /** Of all files below a directory whose names end so. */
  static long below(Path directory, String... suffixes) throws IOException {
    long lines = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file :
          files.filter(each -> Stream.of(suffixes).anyMatch(each.toString()::endsWith)).toList()) {
        lines += of(Files.readAllLines(file));
      }
    }
    return lines;
  }

  /** Of Java or C. */
  static long of(List<String> source) {
    long lines = 0;
    boolean inside = false;
    for (String each : source) {
      String line = each.strip();
      if (inside || line.startsWith(OPENS)) {
        int end = line.indexOf(CLOSES);
        inside = end < 0;
        line = inside ? "" : line.substring(end + CLOSES.length()).strip();
      }
      if (!line.isEmpty() && !line.startsWith("//")) {
        lines++;
        inside = line.lastIndexOf(OPENS) > line.lastIndexOf(CLOSES);
      }
    }
    return lines;
  }

  /** Of a file whose comments begin with {@code #}. */
  static long ofText(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .count();
  }
}
