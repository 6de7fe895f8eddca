package io.sluice.testbed.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The output of the demo: a heading for each part, sentences under it, what was found right or
 * wrong, and at the end what counts once more. For several threads.
 */
final class Report implements AutoCloseable {
  private static final int TICK_MS = 200;
  private static final String INDENT = "      ";

  private final Screen screen;
  private final LongSupplier clock;
  private final long startNs;
  private final List<String> headlines = new ArrayList<>();
  private final Set<WaitLine> waits = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService ticker;
  private List<DemoPart> parts = List.of();
  private int part = -1;
  private long partNs;
  private boolean failed;

  /**
   * @param clock nanoseconds
   */
  Report(Screen screen, LongSupplier clock) {
    this.screen = screen;
    this.clock = clock;
    startNs = clock.getAsLong();
    ticker =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("waiting").factory());
    ticker.scheduleAtFixedRate(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** The clock, nanoseconds. */
  long nowNs() {
    return clock.getAsLong();
  }

  private void tick() {
    waits.forEach(WaitLine::tick);
  }

  /** Says what will be seen. */
  synchronized void open(DemoPlan plan) {
    parts = plan.parts();
    plan.introduction().forEach(screen::line);
  }

  /** Begins a part, if it is not the present one. */
  synchronized void begin(DemoPart next) {
    int number = parts.indexOf(next);
    if (number == part) {
      return;
    }
    endPart();
    part = number;
    partNs = clock.getAsLong();
    screen.line("");
    screen.line(
        Screen.Ink.HEADING, "[" + (number + 1) + "/" + parts.size() + "] " + next.heading(), "");
  }

  private void endPart() {
    if (part >= 0) {
      say("(%s)", PlainUnits.seconds(clock.getAsLong() - partNs));
      part = -1;
    }
  }

  /** Says something, in a line. */
  void say(String format, Object... arguments) {
    screen.line(INDENT + text(format, arguments));
  }

  /** Says how to look at what daemons do, by their control sockets. */
  void lookAt(List<Path> sockets) {
    say("Look at it while it runs, in another terminal:");
    sockets.forEach(socket -> say("  %s ctl -s %s top", launcher(), socket));
  }

  /** The launcher as it is typed here. */
  private static String launcher() {
    Path home = Path.of(System.getProperty("sluice.home", ""));
    boolean here = home.toAbsolutePath().normalize().equals(Path.of("").toAbsolutePath());
    return here ? "./sluice" : home.resolve("sluice").toString();
  }

  /** A line for something that takes a while; to be closed when that is over. */
  WaitLine waiting(String format, Object... arguments) {
    WaitLine line = new WaitLine(screen, text(format, arguments), clock, waits::remove);
    boolean _ = waits.add(line);
    return line;
  }

  /** Something that must hold: printed either way, remembered when it does not. */
  synchronized void check(boolean holds, String format, Object... arguments) {
    failed |= !holds;
    String said = text(format, arguments);
    if (holds) {
      screen.line(Screen.Ink.GOOD, "  ok  ", said);
    } else {
      screen.line(Screen.Ink.BAD, "WRONG ", said);
    }
  }

  /** Something that is said once more at the end, as it counts. */
  synchronized void headline(String format, Object... arguments) {
    headlines.add(text(format, arguments));
  }

  /** Whether anything that must hold did not. */
  synchronized boolean failed() {
    return failed;
  }

  /** Says what counts, and whether all was right. */
  synchronized void conclude() {
    endPart();
    screen.line("");
    screen.line(
        Screen.Ink.HEADING,
        "What was measured",
        " (all took " + PlainUnits.seconds(clock.getAsLong() - startNs) + ")");
    headlines.forEach(line -> screen.line(INDENT + line));
    screen.line(
        failed ? Screen.Ink.BAD : Screen.Ink.GOOD, failed ? "demo: FAILED" : "demo: ok", "");
  }

  /** Shows nothing more of what takes a while. */
  @Override
  public void close() {
    List<Runnable> _ = ticker.shutdownNow();
  }

  private static String text(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
