package io.sluice.testbed.demo;

import java.util.Locale;

/** Amounts as people say them, each with its unit. */
final class PlainUnits {
  private static final double MS = 1e6;
  private static final double S = 1e9;
  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private PlainUnits() {}

  /** {@code 94 s}, {@code 3.1 s}, {@code 0.42 s}, {@code 7 ms}. */
  static String seconds(long ns) {
    if (ns < MS) {
      return "less than 1 ms";
    }
    if (ns < 10 * MS) {
      return String.format(Locale.ROOT, "%.0f ms", ns / MS);
    }
    double s = ns / S;
    // Rounded, 0.996 is no longer of two places, nor 9.96 of one.
    String format = s < 0.995 ? "%.2f s" : s < 9.95 ? "%.1f s" : "%.0f s";
    return String.format(Locale.ROOT, format, s);
  }

  /** {@code 64 MiB}, {@code 1.7 MiB}, {@code 512 KiB}, {@code 20 B}. */
  static String bytes(long bytes) {
    if (bytes < KIB) {
      return bytes + " B";
    }
    long unit = bytes >= GIB ? GIB : bytes >= MIB ? MIB : KIB;
    String name = unit == GIB ? "GiB" : unit == MIB ? "MiB" : "KiB";
    boolean whole = bytes % unit == 0 || bytes >= 10 * unit;
    return String.format(Locale.ROOT, whole ? "%.0f %s" : "%.1f %s", (double) bytes / unit, name);
  }

  /** {@code 1 message}, {@code 0 messages}. */
  static String count(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
  }
}
