package io.sluice.testbed.demo;

import java.io.PrintStream;
import java.util.Locale;

/** The output of the demo: numbered steps, and what was found wrong. For several threads. */
final class Report {
  private final PrintStream out;
  private int step;
  private boolean failed;

  Report(PrintStream out) {
    this.out = out;
  }

  /** A step that was done. */
  synchronized void step(String format, Object... arguments) {
    out.printf(Locale.ROOT, "%2d. %s%n", ++step, String.format(Locale.ROOT, format, arguments));
  }

  /** A line under the last step. */
  synchronized void detail(String format, Object... arguments) {
    out.printf(Locale.ROOT, "    %s%n", String.format(Locale.ROOT, format, arguments));
  }

  /** A bar for something that takes a while. */
  ProgressBar progress(String name) {
    return ProgressBar.start(out, name);
  }

  /** Something that must hold: printed either way, remembered when it does not. */
  synchronized void check(boolean holds, String format, Object... arguments) {
    failed |= !holds;
    detail((holds ? "ok: " : "WRONG: ") + format, arguments);
  }

  /** Whether anything that must hold did not. */
  synchronized boolean failed() {
    return failed;
  }

  /** The last line. */
  synchronized void close() {
    out.println(failed ? "demo: FAILED" : "demo: ok");
    out.flush();
  }
}
