package io.sluice.testbed.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;

/**
 * The progress of something: a bar that is drawn over itself on a terminal, a line for each quarter
 * elsewhere.
 */
final class ProgressBar {
  private static final int WIDTH = 40;
  private static final int QUARTERS = 4;

  private final PrintStream out;
  private final boolean terminal;
  private final String name;
  private final long startNs;
  private int quarters;

  private ProgressBar(PrintStream out, boolean terminal, String name, long startNs) {
    this.out = out;
    this.terminal = terminal;
    this.name = name;
    this.startNs = startNs;
  }

  /** Starts one, with nothing done. */
  static ProgressBar start(PrintStream out, String name) {
    Console console = System.console();
    boolean terminal = console != null && console.isTerminal();
    ProgressBar bar = new ProgressBar(out, terminal, name, System.nanoTime());
    if (terminal) {
      bar.draw(0);
    }
    return bar;
  }

  /** Shows how much is done. */
  void update(int done, int total) {
    double fraction = total == 0 ? 1 : Math.clamp((double) done / total, 0, 1);
    if (terminal) {
      draw(fraction);
      return;
    }
    int reached = (int) (fraction * QUARTERS);
    if (reached > quarters) {
      quarters = reached;
      out.printf(Locale.ROOT, "    %s %d %%, %.1f s%n", name, reached * 100 / QUARTERS, seconds());
    }
  }

  /** Ends the line. */
  void end() {
    if (terminal) {
      draw(1);
      out.println();
    }
  }

  private double seconds() {
    return (System.nanoTime() - startNs) / 1e9;
  }

  private void draw(double fraction) {
    int full = (int) (fraction * WIDTH);
    out.printf(
        Locale.ROOT,
        "\r    %s [%s%s] %3d %%, %.1f s",
        name,
        "#".repeat(full),
        ".".repeat(WIDTH - full),
        (int) (fraction * 100),
        seconds());
    out.flush();
  }
}
