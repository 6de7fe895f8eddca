package io.sluice.management;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as an operator writes them: a number with its unit. */
public final class Quantities {
  private static final Pattern NUMBER_UNIT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?(\\w+)");
  private static final Map<String, Long> SIZE_UNITS =
      Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);
  private static final Map<String, Long> DURATION_UNITS =
      Map.of(
          "ns",
          1L,
          "us",
          1_000L,
          "ms",
          1_000_000L,
          "s",
          1_000_000_000L,
          "min",
          60_000_000_000L,
          "h",
          3_600_000_000_000L);
  private static final String[] SIZE_NAMES = {"TiB", "GiB", "MiB", "KiB"};
  private static final String[] DURATION_NAMES = {"h", "min", "s", "ms", "us"};

  private Quantities() {}

  /** Bytes of {@code 512MiB}, {@code 1.5 GiB}, {@code 4096B}; empty for anything else. */
  public static Optional<Long> parseSize(String text) {
    return parse(text, SIZE_UNITS);
  }

  /** The duration of {@code 100us}, {@code 1.5 s}, {@code 1h}; empty for anything else. */
  public static Optional<Duration> parseDuration(String text) {
    return parse(text, DURATION_UNITS).map(Duration::ofNanos);
  }

  /** The shortest exact form that {@link #parseSize} reads back. */
  public static String formatSize(long bytes) {
    return format(bytes, SIZE_NAMES, SIZE_UNITS, "B");
  }

  /** The shortest exact form that {@link #parseDuration} reads back. */
  public static String formatDuration(Duration duration) {
    return format(duration.toNanos(), DURATION_NAMES, DURATION_UNITS, "ns");
  }

  private static Optional<Long> parse(String text, Map<String, Long> units) {
    Matcher m = NUMBER_UNIT.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    Long factor = units.get(m.group(2));
    if (factor == null) {
      return Optional.empty();
    }
    BigDecimal value = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(factor));
    try {
      return Optional.of(value.longValueExact());
    } catch (ArithmeticException _) {
      return Optional.empty(); // a fraction of the smallest unit, or beyond 64 bits
    }
  }

  private static String format(
      long value, String[] names, Map<String, Long> units, String smallest) {
    for (String name : names) {
      long factor = units.getOrDefault(name, 1L);
      if (value != 0 && value % factor == 0) {
        return String.format(Locale.ROOT, "%d%s", value / factor, name);
      }
    }
    return value + smallest;
  }
}
