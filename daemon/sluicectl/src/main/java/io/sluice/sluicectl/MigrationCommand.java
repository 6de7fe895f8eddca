package io.sluice.sluicectl;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluicectl migration …}. */
final class MigrationCommand extends Noun {
  private static final String GUEST = "Name, UUID, or GPU/NAME.";
  private static final String TO =
      "HOST:PORT of another host's daemon, where a QEMU waits for the machine; or unix:PATH, the"
          + " migration socket of another daemon of this host (migration.sock in its run directory),"
          + " for a process, or a machine that stays in its QEMU.";
  private static final String OPERATION =
      "The guest's name, UUID, or GPU/NAME; or an id that migration status shows.";

  /** A destination that makes sessions' programs answers late. */
  private static final Duration ANSWER = Duration.ofMinutes(15);

  MigrationCommand(GlobalOptions global) {
    super(
        global,
        "migration",
        "Guests that move to another daemon, without their programs noticing.");
  }

  @Command(
      name = "check",
      description = {
        "Says what stands in the way of a migration, and what to do about it: here, and at the"
            + " destination, which is asked. Nothing is touched or reserved."
      })
  int check(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Option(names = "--to", paramLabel = "WHERE", required = true, description = TO) String to,
      @Option(
              names = "--downtime",
              paramLabel = "DURATION",
              description = "How long a machine may stand still (300ms).")
          @Nullable String downtime,
      @Option(
              names = "--bandwidth",
              paramLabel = "SIZE",
              description = "Most that is sent in a second, such as 100MiB; no limit by default.")
          @Nullable String bandwidth,
      @Option(
              names = "--sessions",
              completionCandidates = Candidates.SessionsDo.class,
              paramLabel = "WHAT",
              description =
                  "What OpenCL sessions of a machine do: move with it (default), or stay here.")
          @Nullable String sessions)
      throws IOException, OperationsException {
    Map<String, String> options = new TreeMap<>();
    put(options, "downtime", downtime);
    put(options, "bandwidth", bandwidth);
    put(options, "sessions", sessions);
    try (LocalConnection connection = global.connect(ANSWER)) {
      MigrationCheckView found = connection.migrations().check(find(connection, name), to, options);
      new CheckedMigration(found).print(global.output());
      return found.blockers().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  @Command(
      name = "start",
      description = "Moves a guest, and waits until it has moved or has been given up.")
  int start(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Option(names = "--to", paramLabel = "WHERE", required = true, description = TO) String to,
      @Option(
              names = "--detach",
              completionCandidates = Candidates.DetachTimes.class,
              paramLabel = "WHEN",
              description = "When access is taken back: first, planned (default) or last.")
          @Nullable String detach,
      @Option(
              names = "--drain-timeout",
              paramLabel = "DURATION",
              description = "Longest wait for what was submitted, such as 10s (default).")
          @Nullable String drainTimeout,
      @Option(
              names = "--silence",
              paramLabel = "DURATION",
              description =
                  "How long the destination's host may say nothing while the guest waits (700ms).")
          @Nullable String silence,
      @Option(
              names = "--timeout",
              paramLabel = "DURATION",
              description = "Longest time up to the switch-over; none by default.")
          @Nullable String timeout,
      @Option(
              names = "--on-timeout",
              completionCandidates = Candidates.TimeoutActions.class,
              paramLabel = "WHAT",
              description = "When a time is over: abort (default), or force: end and move on.")
          @Nullable String onTimeout,
      @Option(
              names = "--bandwidth",
              paramLabel = "SIZE",
              description = "Most that is sent in a second, such as 100MiB; no limit by default.")
          @Nullable String bandwidth,
      @Option(
              names = "--downtime",
              paramLabel = "DURATION",
              description = "How long a machine may stand still for its own memory (300ms).")
          @Nullable String downtime,
      @Option(
              names = "--connections",
              paramLabel = "N",
              description =
                  "Streams of video memory to another host, 1 to 16 (2 to 8, by processors).")
          @Nullable String connections,
      @Option(
              names = "--compress",
              completionCandidates = Candidates.Compress.class,
              paramLabel = "WHAT",
              description = "How video memory goes to another host: none or zstd.")
          @Nullable String compress,
      @Option(
              names = "--sessions",
              completionCandidates = Candidates.SessionsDo.class,
              paramLabel = "WHAT",
              description =
                  "What OpenCL sessions of a machine do: move with it (default), or stay here.")
          @Nullable String sessions,
      @Option(
              names = "--sessions-at",
              paramLabel = "HOST:PORT",
              description =
                  "How the destination reaches sessions that stay here; by default as configured.")
          @Nullable String sessionsAt,
      @Option(
              names = "--option",
              paramLabel = "NAME=VALUE",
              description =
                  "For measurements: passes, exact, compared, hashing, sampling, overlapped.")
          @Nullable Map<String, String> more,
      @Option(names = "--detached", description = OperationWatch.DETACHED) boolean detached)
      throws IOException, OperationsException {
    Map<String, String> options = new TreeMap<>(more == null ? Map.of() : more);
    put(options, "detach", detach);
    put(options, "drain-timeout", drainTimeout);
    put(options, "silence", silence);
    put(options, "timeout", timeout);
    put(options, "on-timeout", onTimeout);
    put(options, "bandwidth", bandwidth);
    put(options, "downtime", downtime);
    put(options, "connections", connections);
    put(options, "compress", compress);
    put(options, "sessions", sessions);
    put(options, "sessions-at", sessionsAt);
    try (LocalConnection connection = global.connect()) {
      String id = connection.migrations().start(find(connection, name), to, options);
      if (detached) {
        global.output().text(id + "\n");
        return ExitCode.OK;
      }
      return new OperationWatch(global).follow(connection, id);
    }
  }

  private static void put(Map<String, String> options, String name, @Nullable String value) {
    if (value != null) {
      options.put(name, value);
    }
  }

  @Command(
      name = "status",
      description = "The last migration, checkpoint or restore of each guest that had one.")
  int status() throws IOException {
    try (LocalConnection connection = global.connect()) {
      MigrationsMXBean migrations = connection.migrations();
      Output output = global.output();
      output.list(Views.MIGRATIONS, List.copyOf(migrations.getMigrations().values()));
      if (output.format() == Format.table) {
        for (MigrationStatusView view : migrations.getMigrations().values()) {
          if (view.undecided()) {
            output.text("guest \"" + view.guest() + "\" is undecided. " + view.remedy() + "\n");
          }
        }
        output.text("other daemons of this host connect to " + migrations.getSocketPath() + "\n");
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "watch",
      description = "Follows a migration, checkpoint or restore until it is over.")
  int watch(
      @Parameters(
              paramLabel = "GUEST|ID",
              completionCandidates = Candidates.Guests.class,
              description = OPERATION)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      return new OperationWatch(global).follow(connection, OperationWatch.find(connection, name));
    }
  }

  @Command(
      name = "abort",
      description =
          "Gives a migration, checkpoint or restore up: the guest goes on where, and as, it is.")
  int abort(
      @Parameters(
              paramLabel = "GUEST|ID",
              completionCandidates = Candidates.Guests.class,
              description = OPERATION)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      OperationWatch.abort(connection, name);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "resolve",
      description = {
        "Says whose a guest is that a daemon was giving away when it, or the destination, was lost:"
            + " one that migration status calls undecided. Only for who knows; starting the other"
            + " daemon again decides it without risk."
      })
  int resolve(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @ArgGroup(multiplicity = "1") Side side)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      connection.migrations().resolve(find(connection, name), side.here);
    }
    return ExitCode.OK;
  }

  /** The side that has an undecided guest. */
  static final class Side {
    @Option(
        names = "--here",
        description =
            "It goes on here. Only if it certainly runs nowhere else and never will: otherwise it"
                + " runs twice.")
    boolean here;

    @Option(
        names = "--there",
        description =
            "It runs at the destination: what is here of it ends, and is lost if it does not.")
    boolean there;
  }

  @Command(
      name = "report",
      description = "What happened in a guest's last migration, also when it failed.")
  int report(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Option(
              names = "--html",
              paramLabel = "FILE",
              description = "Writes a page with plots to a file.")
          @Nullable Path html)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      MigrationsMXBean migrations = connection.migrations();
      String guest = find(connection, name);
      if (html != null) {
        ReportFile.write(html, migrations.report(guest, "html"));
      } else {
        global
            .output()
            .text(
                migrations.report(
                    guest, global.output().format() == Format.json ? "json" : "text"));
      }
    }
    return ExitCode.OK;
  }

  private static String find(LocalConnection connection, String name) {
    DaemonMXBean daemon = connection.daemon();
    return GuestNames.find(daemon.getGuests(), name).name();
  }
}
