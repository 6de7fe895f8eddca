package io.sluice.migrate.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Figures as people read them, each with its unit. */
final class Figure {
  private static final long KIB = 1L << 10;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final double US = 1e3;
  private static final double MS = 1e6;
  private static final double S = 1e9;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Figure() {}

  /** {@code 1.2 MiB}. */
  static String bytes(long bytes) {
    if (bytes < KIB) {
      return bytes + " B";
    }
    long unit = bytes >= GIB ? GIB : bytes >= MIB ? MIB : KIB;
    String name = unit == GIB ? "GiB" : unit == MIB ? "MiB" : "KiB";
    return String.format(Locale.ROOT, "%.1f %s", (double) bytes / unit, name);
  }

  /** {@code 23.6 s}, {@code 48.2 ms}, {@code 310 us}. */
  static String time(long ns) {
    if (ns == 0) {
      return "0 ms";
    }
    if (ns < MS) {
      return String.format(Locale.ROOT, "%.0f us", ns / US);
    }
    return ns < S
        ? String.format(Locale.ROOT, ns < 100 * MS ? "%.1f ms" : "%.0f ms", ns / MS)
        : String.format(Locale.ROOT, "%.2f s", ns / S);
  }

  /** {@code 48.217}, without the unit. */
  static String milliseconds(long ns) {
    return String.format(Locale.ROOT, "%.3f", ns / MS);
  }

  /** {@code 2026-11-26 04:10:11 UTC}. */
  static String moment(Instant at) {
    return TIME.format(at);
  }
}
