package io.sluice.sluicectl;

import io.sluice.management.MigrationStatusView;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * The line that shows how far a migration is: on standard error, on a terminal alone, and in place.
 * It never says that all is there before it is.
 */
final class ProgressLine {
  private static final String BACK = "\r";
  private static final String CLEAR_LINE = "\r\033[K";
  private static final int WIDTH = 79;
  private static final double MOST = 99.9;
  private static final long LONGEST_S = 100 * 3600 - 1;

  private final PrintWriter err;
  private final boolean shown;
  private String last = "";

  /**
   * @param shown whether there is a terminal
   */
  ProgressLine(PrintWriter err, boolean shown) {
    this.err = err;
    this.shown = shown;
  }

  /** Draws it anew. */
  void show(MigrationStatusView view) {
    String line = text(view);
    if (!shown || line.equals(last)) {
      return;
    }
    String behind = " ".repeat(Math.max(0, last.length() - line.length()));
    err.print(BACK + line + behind);
    err.flush();
    last = line;
  }

  /** Leaves an empty line for what comes. */
  void clear() {
    if (!last.isEmpty()) {
      err.print(CLEAR_LINE);
      err.flush();
      last = "";
    }
  }

  static String text(MigrationStatusView view) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-11s", view.phase()));
    long left = Math.max(0, view.bytesLeft());
    if (view.bytesTotal() > 0) {
      line.append(String.format(Locale.ROOT, " %5.1f %%", percent(view.bytesTotal(), left)));
    }
    line.append("  ").append(orNone(Views.amount(left))).append(" left");
    if (view.rateBytesPerSecond() > 0) {
      line.append("  ").append(Views.amount(view.rateBytesPerSecond())).append("/s");
    }
    if (view.phase().equals("pre-copy") && left > 0 && view.rateBytesPerSecond() > 0) {
      line.append("  ").append(clock(left / view.rateBytesPerSecond())).append(" to go");
    }
    if (view.undecided()) {
      line.append("  the destination cannot be asked");
    }
    return line.substring(0, Math.min(WIDTH, line.length()));
  }

  private static double percent(long total, long left) {
    return Math.clamp(100.0 * (total - left) / total, 0.0, MOST);
  }

  /** {@code 00:07}, {@code 1:02:03}. */
  private static String clock(long seconds) {
    long s = Math.min(seconds, LONGEST_S);
    return s < 3600
        ? String.format(Locale.ROOT, "%02d:%02d", s / 60, s % 60)
        : String.format(Locale.ROOT, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  }

  private static String orNone(String amount) {
    return amount.isEmpty() ? "0 KiB" : amount;
  }
}
