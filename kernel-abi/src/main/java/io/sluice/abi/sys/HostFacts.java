package io.sluice.abi.sys;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of proc(5) that tell a process its limits. */
final class HostFacts {
  /** {@code Max open files 1024 524288 files}. */
  private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +(\\S+)");

  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal: +(\\d+) kB");
  private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable: +(\\d+) kB");
  private static final Pattern NUMBER = Pattern.compile("(\\d+)");

  private HostFacts() {}

  static HostLimits read() {
    return new HostLimits(
        number("/proc/self/limits", OPEN_FILES).orElse(Long.MAX_VALUE), // unlimited
        number("/proc/sys/vm/max_map_count", NUMBER).orElseThrow(),
        number("/proc/meminfo", MEMORY).orElseThrow() << 10);
  }

  static long availableBytes() {
    return number("/proc/meminfo", AVAILABLE).orElseThrow() << 10;
  }

  private static Optional<Long> number(String file, Pattern pattern) {
    try {
      // A file of /proc/sys gives all it has to the first read, so that must not be of one byte.
      Matcher found = pattern.matcher(String.join("\n", Files.readAllLines(Path.of(file))));
      return found.find() && NUMBER.matcher(found.group(1)).matches()
          ? Optional.of(Long.parseLong(found.group(1)))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
