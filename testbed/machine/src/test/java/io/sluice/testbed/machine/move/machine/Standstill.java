package io.sluice.testbed.machine.move.machine;

import static org.awaitility.Awaitility.await;

import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Progress;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a machine whose migration was given up stood still, as its own program shows. The
 * program speaks every {@link #GRAIN}th of a second, so that much is not known.
 *
 * @param knownNs from the fault until the source gave the migration up
 * @param wentOnNs from then until the next submission of the program was executed
 * @param gapNs longest time between two submissions executed, from the fault until then; includes
 *     for how long the test itself held the daemon
 */
record Standstill(long knownNs, long wentOnNs, long gapNs) {
  /** How often the program is to say how far it is, in seconds. */
  static final String GRAIN = "0.05";

  private static final Pattern GIVEN_UP =
      Pattern.compile("time=(\\S+) .*msg=\"migration phase\" .* to=ABORTING ");

  /** Those of a run of tests, each with what led to it. */
  static final class Table {
    private final List<String> rows = new ArrayList<>(); // by this

    synchronized void add(String fault, String moment, Standstill found) {
      rows.add(
          String.format(
              Locale.ROOT,
              "%-26s %-18s %10.3f %10.3f %10.3f",
              fault,
              moment,
              found.knownNs / 1e9,
              found.wentOnNs / 1e9,
              found.gapNs / 1e9));
    }

    /** One line each, in seconds. */
    @Override
    public synchronized String toString() {
      return String.format(
              Locale.ROOT,
              "%-26s %-18s %10s %10s %10s%n",
              "fault",
              "moment",
              "given up",
              "went on",
              "longest gap")
          + String.join(System.lineSeparator(), rows);
    }
  }

  /**
   * Waits until the machine goes on.
   *
   * @param side where the migration was given up
   * @param faultNs when it met its fault
   */
  static Standstill of(MachineHost side, long faultNs) throws IOException {
    long givenUpNs = givenUpNs(side.daemon().log());
    Progress progress = side.progress();
    await()
        .atMost(MachineHost.PATIENCE)
        .pollInterval(50, TimeUnit.MILLISECONDS)
        .until(() -> progress.firstAfter(givenUpNs).isPresent());
    OptionalLong wentOn = progress.firstAfter(givenUpNs);
    long wentOnNs = wentOn.orElseThrow();
    return new Standstill(
        givenUpNs - faultNs, wentOnNs - givenUpNs, progress.longestGapNs(faultNs, wentOnNs));
  }

  /** The last time that the daemon gave a migration up, by {@link System#nanoTime}. */
  private static long givenUpNs(String log) {
    Matcher matcher = GIVEN_UP.matcher(log);
    Instant last = null;
    while (matcher.find()) {
      last = Instant.parse(matcher.group(1));
    }
    if (last == null) {
      throw new AssertionError("it was not given up:\n" + log);
    }
    long ago = Duration.between(last, Instant.now()).toNanos();
    return System.nanoTime() - ago;
  }
}
