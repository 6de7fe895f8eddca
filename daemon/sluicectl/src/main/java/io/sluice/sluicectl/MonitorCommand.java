package io.sluice.sluicectl;

import io.sluice.management.Nearest;
import io.sluice.management.PlainText;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import javax.management.Notification;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluicectl monitor}: what happens, a line each, until the daemon or the reader stops. */
@Command(
    name = "monitor",
    description = {
      "Prints what happens to the daemon and its guests, one line an event, until interrupted."
          + " With --format json each line is an object."
    })
final class MonitorCommand implements Callable<Integer> {
  /** What the types of notifications begin with. */
  private static final String PREFIX = "io.sluice.";

  private static final List<String> KINDS = Candidates.EventKinds.ALL;

  /** Waiting for more events than this the oldest are the daemon's to drop: JMX counts on it. */
  private static final int QUEUE = 10_000;

  private final GlobalOptions global;

  @Option(
      names = "--type",
      completionCandidates = Candidates.EventKinds.class,
      paramLabel = "TYPE",
      split = ",",
      description =
          "Only events of these: channel, checkpoint, daemon, guest, migration, program, quota,"
              + " restore, session.")
  private List<String> types = new ArrayList<>();

  @Option(names = "--count", paramLabel = "N", description = "Ends after this many events.")
  private long count = Long.MAX_VALUE;

  MonitorCommand(GlobalOptions global) {
    this.global = global;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    Output output = global.output();
    BlockingQueue<Optional<Notification>> events = new LinkedBlockingQueue<>(QUEUE);
    try (LocalConnection connection = global.connect()) {
      connection.listen(
          event -> put(events, Optional.of(event)), () -> put(events, Optional.empty()));
      for (long printed = 0; printed < count; ) {
        Notification event = events.take().orElseThrow(MonitorCommand::lost);
        if (isWanted(event)) {
          print(output, event);
          printed++;
        }
      }
    }
    return ExitCode.OK;
  }

  private void check() {
    if (count < 1) {
      throw misused("--count takes 1 or more, not " + count);
    }
    types.forEach(this::check);
  }

  private void check(String type) {
    if (!KINDS.contains(type)) {
      String hint =
          Nearest.to(type, KINDS)
              .map(near -> "did you mean \"" + near + "\"?")
              .orElse("there are " + String.join(", ", KINDS));
      throw misused("no type \"" + type + "\"; " + hint);
    }
  }

  private ParameterException misused(String what) {
    return new ParameterException(global.line().getSubcommands().get("monitor"), what);
  }

  /** A reader that is slow makes the connection wait, and the daemon drop what is too old. */
  private static void put(
      BlockingQueue<Optional<Notification>> events, Optional<Notification> event) {
    try {
      events.put(event);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isWanted(Notification event) {
    return types.isEmpty()
        || types.stream().anyMatch(type -> event.getType().startsWith(PREFIX + type + "."));
  }

  private static void print(Output output, Notification event) {
    if (output.format() == Format.json) {
      output.jsonLine(json -> {
        json.writeNumberProperty("timeMs", event.getTimeStamp());
        json.writeNumberProperty("sequence", event.getSequenceNumber());
        json.writeStringProperty("type", event.getType());
        json.writeStringProperty("message", String.valueOf(event.getMessage()));
        Object data = event.getUserData();
        if (data != null) {
          json.writeName("data");
          Output.value(json, data);
        }
      });
      return;
    }
    String type = event.getType();
    output.text(
        "%s  %-18s  %s%n"
            .formatted(
                Instant.ofEpochMilli(event.getTimeStamp()).truncatedTo(ChronoUnit.MILLIS),
                type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : type,
                onOneLine(event.getMessage())));
  }

  /** Nothing in a message begins a line of its own, or moves the terminal's cursor. */
  private static String onOneLine(@Nullable String message) {
    return PlainText.of(String.valueOf(message)).strip();
  }

  private static IOException lost() {
    return new IOException("the daemon has stopped or was killed");
  }
}
