package io.sluice.testbed.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time in which something on this machine was kept waiting: for a processor, a disk or memory,
 * as the kernel's pressure stall information says, or for the machine's own host. In all other time
 * whatever ran had what it could use.
 */
final class Disturbance {
  private static final List<String> RESOURCES = List.of("cpu", "io", "memory");
  private static final Pattern SOME = Pattern.compile("^some .*total=(\\d+)$", Pattern.MULTILINE);
  private static final Pattern STOLEN = Pattern.compile("^cpu +(?:\\d+ ){7}(\\d+)");
  private static final long NS_OF_US = 1_000;
  private static final long NS_OF_TICK = 10_000_000;

  private final Path proc;

  /**
   * @param proc where the kernel says it, such as {@code /proc}
   */
  Disturbance(Path proc) {
    this.proc = proc;
  }

  /** Its nanoseconds since the machine began; empty when the kernel does not say. */
  OptionalLong totalNs() {
    try {
      long total = number(STOLEN, proc.resolve("stat")) * NS_OF_TICK;
      for (String resource : RESOURCES) {
        total += number(SOME, proc.resolve("pressure").resolve(resource)) * NS_OF_US;
      }
      return OptionalLong.of(total);
    } catch (IOException _) {
      return OptionalLong.empty();
    }
  }

  private static long number(Pattern pattern, Path file) throws IOException {
    Matcher found = pattern.matcher(Files.readString(file));
    if (!found.find()) {
      throw new IOException("no such line, file=" + file);
    }
    return Long.parseLong(found.group(1));
  }
}
