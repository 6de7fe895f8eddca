package io.sluice.testbed.demo;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A line for something that takes a while: what it is, how far it is, and for how long. On a
 * terminal it is drawn over itself and gone at the end; elsewhere it is a line now and then. For
 * several threads.
 */
final class WaitLine implements AutoCloseable {
  /** Nothing that is over sooner is told, in a terminal and elsewhere. */
  private static final long FIRST_NS = 1_000_000_000L;

  private static final long FIRST_LINE_NS = 2_000_000_000L;
  private static final long BETWEEN_LINES_NS = 10_000_000_000L;
  private static final int BAR = 24;
  private static final String INDENT = "      ";

  private final Screen screen;
  private final String what;
  private final LongSupplier clock;
  private final Consumer<WaitLine> atEnd;
  private final long startNs;
  private long nextNs;
  private double part = -1;
  private String state = "";
  private boolean ended;

  /**
   * @param what that is, such as {@code Linux boots}
   * @param clock nanoseconds
   * @param atEnd is told when it is over
   */
  WaitLine(Screen screen, String what, LongSupplier clock, Consumer<WaitLine> atEnd) {
    this.screen = screen;
    this.what = what;
    this.clock = clock;
    this.atEnd = atEnd;
    startNs = clock.getAsLong();
    nextNs = screen.isTerminal() ? FIRST_NS : FIRST_LINE_NS;
  }

  /** Notes how much of it is done. */
  synchronized void progress(long done, long total) {
    part = total <= 0 ? -1 : Math.clamp((double) done / total, 0, 1);
  }

  /** Notes what it does now, in a few words. */
  synchronized void state(String now) {
    state = now;
  }

  /** Shows it, when it is time to; to be called several times a second. */
  synchronized void tick() {
    long elapsedNs = clock.getAsLong() - startNs;
    if (ended || elapsedNs < nextNs) {
      return;
    }
    if (screen.isTerminal()) {
      screen.draw(text(elapsedNs));
    } else {
      nextNs = elapsedNs + BETWEEN_LINES_NS;
      screen.line(text(elapsedNs));
    }
  }

  private String text(long elapsedNs) {
    StringBuilder line = new StringBuilder(INDENT + "... " + what);
    if (!state.isEmpty()) {
      line.append(": ").append(state);
    }
    if (part >= 0) {
      int full = (int) (part * BAR);
      if (screen.isTerminal() && state.isEmpty()) {
        line.append(" [" + "#".repeat(full) + ".".repeat(BAR - full) + "]");
      }
      line.append(", ").append((int) (part * 100)).append(" %");
    }
    return line.append(", ").append(PlainUnits.seconds(elapsedNs)).toString();
  }

  /** Ends it, and takes it from the terminal. */
  @Override
  public void close() {
    synchronized (this) {
      ended = true;
      screen.erase();
    }
    atEnd.accept(this);
  }
}
