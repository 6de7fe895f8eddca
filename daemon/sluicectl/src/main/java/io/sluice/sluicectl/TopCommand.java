package io.sluice.sluicectl;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.Nearest;
import io.sluice.management.Quantities;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.TopRow.Look;
import io.sluice.sluicectl.terminal.Keyboard;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalTime;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluicectl top}: who uses the GPUs, again and again until interrupted. */
@Command(
    name = "top",
    description = {
      "Shows who uses the GPUs: channels, memory against the share, GPU time, waits, kills,"
          + " evictions; of OpenCL the sessions, their memory and their device time. Percentages are"
          + " of the time between two looks. On a terminal the table is drawn anew, as wide as that"
          + " is, and q ends it; elsewhere, and with --format json, one follows the other. The"
          + " busiest guests come first, unless --sort says otherwise."
    })
final class TopCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** To the upper left corner; the rest of a line; the rest of the screen. */
  private static final String HOME = "\033[H";

  private static final String CLEAR_LINE = "\033[K";
  private static final String CLEAR_BELOW = "\033[J";

  private final GlobalOptions global;
  private final LongSupplier clock;

  @Option(names = "--once", description = "One table, after one interval, and no more.")
  private boolean once;

  @Option(names = "--count", paramLabel = "N", description = "Ends after this many tables.")
  private long count = Long.MAX_VALUE;

  @Option(
      names = "--interval",
      paramLabel = "DURATION",
      defaultValue = "1s",
      description = "Between two looks, 50ms to 1h; default 1s.")
  private String interval = "1s";

  @Option(
      names = "--sort",
      completionCandidates = Candidates.TopOrders.class,
      paramLabel = "COLUMN",
      description = {
        "A column of numbers, such as memory or gpu-time: the guest that has most of it comes first."
      })
  private @Nullable String sort;

  @Option(names = "--reverse", description = "The other way round: least first.")
  private boolean reverse;

  /**
   * @param clock monotonic nanoseconds
   */
  TopCommand(GlobalOptions global, LongSupplier clock) {
    this.global = global;
    this.clock = clock;
  }

  @Override
  public Integer call() throws IOException, InterruptedException, OperationsException {
    Duration pause =
        Quantities.parseDuration(interval)
            .filter(d -> d.compareTo(SHORTEST) >= 0 && d.compareTo(LONGEST) <= 0)
            .orElseThrow(() -> misused("--interval takes 50ms to 1h, not \"" + interval + "\""));
    if (count < 1) {
      throw misused("--count takes 1 or more, not " + count);
    }
    Comparator<TopRow> order = order();
    long tables = once ? 1 : count;
    Output output = global.output();
    List<Column<TopRow>> columns = Views.TOP.choose(output);
    boolean redrawn = tables > 1 && output.format() == Format.table && global.isTerminal();
    try (LocalConnection connection = global.connect();
        Keyboard keyboard = redrawn ? Keyboard.open() : Keyboard.none()) {
      DaemonMXBean daemon = connection.daemon();
      SessionsMXBean sessions = connection.sessions();
      Look before = look(daemon, sessions);
      for (long table = 0; table < tables; table++) {
        if (keyboard.awaitQuit(pause)) {
          break;
        }
        Look after = look(daemon, sessions);
        print(output, columns, TopRow.between(before, after, order), redrawn, table);
        before = after;
      }
    }
    return ExitCode.OK;
  }

  private Comparator<TopRow> order() {
    String column = sort;
    Comparator<TopRow> order =
        column == null
            ? TopRow.busiestFirst()
            : TopRow.largestFirst(column).orElseThrow(() -> misused(notSorted(column)));
    return reverse ? order.reversed() : order;
  }

  private static String notSorted(String column) {
    String what = "--sort takes a column of numbers, not \"" + column + "\"";
    return Nearest.to(column, TopRow.orders())
        .map(near -> what + "; did you mean \"" + near + "\"?")
        .orElse(what);
  }

  /** Sessions first: their hosts may take their time, and the clock belongs to the quotas. */
  private Look look(DaemonMXBean daemon, SessionsMXBean sessions) throws OperationsException {
    List<SessionStatus> all = sessions.list("");
    return new Look(daemon.getGuests(), daemon.getQuotas(), all, clock.getAsLong());
  }

  private void print(
      Output output, List<Column<TopRow>> columns, List<TopRow> rows, boolean redrawn, long table) {
    if (output.format() == Format.json && !once) {
      output.jsonLine(json -> {
        json.writeName(Views.TOP.plural());
        json.writeStartArray();
        rows.forEach(row -> Output.object(json, columns, row));
        json.writeEndArray();
      });
      return;
    }
    if (redrawn) {
      int width = Keyboard.columns();
      String summary = TopRow.summary(LocalTime.now(), rows);
      output.text(table == 0 ? HOME + CLEAR_BELOW : HOME);
      output.text(summary.substring(0, Math.min(width, summary.length())) + CLEAR_LINE + "\n");
      output.table(output.fitting(columns, rows, width), rows, CLEAR_LINE, width);
      output.text(CLEAR_BELOW);
      return;
    }
    if (table > 0 && output.format() == Format.table) {
      output.text("\n");
    }
    output.list(Views.TOP, rows);
  }

  private ParameterException misused(String what) {
    return new ParameterException(
        Objects.requireNonNull(global.line().getSubcommands().get("top")), what);
  }
}
