package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.GuestStatus;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.Problem;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Map;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * The watch over a migration, checkpoint or restore until it is over. The daemon goes on with it
 * whoever watches; a connection that breaks is made anew.
 */
final class OperationWatch {
  /** Of the option by which nobody watches. */
  static final String DETACHED =
      "Does not wait: prints the id, by which migration watch and abort know it.";

  private static final int WATCH_MS = 200;

  /** Looks in a row that find a migration undecided before nobody waits any longer. */
  private static final int UNDECIDED_LOOKS = 25;

  /** Attempts to reach the daemon again; one that was stopped does not come back with it. */
  private static final int RECONNECTS = 10;

  private final GlobalOptions global;

  OperationWatch(GlobalOptions global) {
    this.global = global;
  }

  /** The id of a guest's last one, or of the one that was named by the beginning of its id. */
  static String find(LocalConnection connection, String name) throws OperationsException {
    Map<String, GuestStatus> guests = connection.daemon().getGuests();
    if (isId(guests, name)) {
      return connection.migrations().status(name).id();
    }
    String guest = GuestNames.find(guests, name).name();
    MigrationStatusView last = connection.migrations().getMigrations().get(guest);
    if (last == null) {
      throw new ProblemException(
          Problem.of(
              ErrorCode.MIGRATION_UNKNOWN,
              "nothing to watch of guest \"" + guest + "\"",
              "it has not been moved, written to a file or made of one since the daemon started",
              "see sluicectl migration status"),
          ExitCode.NOT_FOUND);
    }
    if (last.id().isEmpty()) {
      throw undecided(last); // of a machine that a former daemon left, which noted nothing
    }
    return last.id();
  }

  /** Gives up what a guest has, or, by the beginning of an id, that one and no other. */
  static void abort(LocalConnection connection, String name) throws OperationsException {
    Map<String, GuestStatus> guests = connection.daemon().getGuests();
    MigrationsMXBean migrations = connection.migrations();
    if (isId(guests, name)) {
      MigrationStatusView view = migrations.status(name);
      migrations.abort(view.guest(), view.id());
    } else {
      migrations.abort(GuestNames.find(guests, name).name());
    }
  }

  /** What is no guest, and looks as if it were the beginning of an id. */
  private static boolean isId(Map<String, GuestStatus> guests, String name) {
    return name.matches("[0-9a-f]{4,8}(-[0-9a-f-]*)?") && GuestNames.match(guests, name).isEmpty();
  }

  private static ProblemException undecided(MigrationStatusView view) {
    return new ProblemException(
        Problem.of(
            ErrorCode.UNDECIDED,
            "nobody knows whether guest \"" + view.guest() + "\" has moved",
            "its destination, " + view.peer() + ", was about to take it and cannot be asked",
            "start the destination's daemon again, which decides it; sluicectl migration"
                + " resolve --help says what to do when that is lost"),
        ExitCode.MIGRATION_UNDECIDED);
  }

  /** Follows one; the exit code says what became of it. */
  int follow(LocalConnection connection, String id) throws IOException, OperationsException {
    @Nullable LocalConnection anew = null;
    try (Progress progress =
        new Progress(new ProgressLine(global.line().getErr(), global.drawsProgress()))) {
      while (true) {
        LocalConnection current = anew == null ? connection : anew;
        try {
          MigrationStatusView view = current.migrations().status(id);
          if (progress.show(view)) {
            progress.close();
            return end(current, view);
          }
          pause();
        } catch (UndeclaredThrowableException e) {
          if (!(e.getCause() instanceof IOException)) {
            throw e;
          }
          close(anew);
          anew = null;
          anew = reconnect(id);
        }
      }
    } finally {
      close(anew);
    }
  }

  private static void close(@Nullable LocalConnection connection) {
    if (connection != null) {
      connection.close();
    }
  }

  private LocalConnection reconnect(String id) throws IOException {
    IOException last = new IOException("interrupted");
    for (int attempt = 0;
        attempt < RECONNECTS && !Thread.currentThread().isInterrupted();
        attempt++) {
      try {
        return global.connect();
      } catch (IOException e) {
        last = e;
        pause();
      }
    }
    throw new ProblemException(
        Problem.of(
            ErrorCode.CONTROL_BROKEN,
            "the connection to sluiced at " + global.socket() + " broke",
            String.valueOf(last.getMessage()).lines().findFirst().orElse(""),
            "when the daemon runs it goes on: sluicectl migration watch " + id),
        ExitCode.UNREACHABLE);
  }

  /** The progress of one, which is drawn on the way. */
  private static final class Progress implements AutoCloseable {
    private final ProgressLine line;
    private int undecided;

    Progress(ProgressLine line) {
      this.line = line;
    }

    /** Draws it; whether it has ended, and there is nothing to draw any more. */
    boolean show(MigrationStatusView view) {
      if (view.over()) {
        return true;
      }
      line.show(view);
      undecided = view.undecided() ? undecided + 1 : 0;
      if (undecided == UNDECIDED_LOOKS) {
        throw undecided(view);
      }
      return false;
    }

    @Override
    public void close() {
      line.clear();
    }
  }

  private int end(LocalConnection connection, MigrationStatusView view) throws OperationsException {
    Output output = global.output();
    if (view.kind().equals(MigrationStatusView.MIGRATION)) {
      if (isLast(connection, view)) {
        output.text(
            connection
                .migrations()
                .report(view.guest(), output.format() == Format.json ? "json" : "text"));
      } else { // the report is another one's
        output.list(Views.MIGRATIONS, List.of(view));
      }
      return view.phase().equals(MigrationStatusView.DONE) || view.phase().equals("running")
          ? ExitCode.OK
          : ExitCode.MIGRATION_GIVEN_UP;
    }
    if (view.phase().equals(MigrationStatusView.FAILED)) {
      throw new ProblemException(
          Problem.of(ErrorCode.CHECKPOINT_FAILED, failed(view), view.reason(), view.remedy()),
          ExitCode.FAILED);
    }
    if (output.format() == Format.table) {
      output.text(done(view));
    } else {
      output.list(Views.MIGRATIONS, List.of(view));
    }
    return ExitCode.OK;
  }

  private static boolean isLast(LocalConnection connection, MigrationStatusView view) {
    MigrationStatusView last = connection.migrations().getMigrations().get(view.guest());
    return last != null && last.id().equals(view.id());
  }

  private static String failed(MigrationStatusView view) {
    return view.kind().equals(MigrationStatusView.CHECKPOINT)
        ? "no checkpoint of guest \"" + view.guest() + "\""
        : "guest \"" + view.guest() + "\" cannot be made of " + file(view);
  }

  private static String done(MigrationStatusView view) {
    return (view.kind().equals(MigrationStatusView.CHECKPOINT)
            ? "guest \"" + view.guest() + "\" is in " + file(view)
            : "guest \"" + view.guest() + "\" is made of " + file(view))
        + ", "
        + orNone(Views.amount(view.bytesSent()))
        + ", in "
        + Views.duration(view.elapsedNs())
        + "\n";
  }

  private static String file(MigrationStatusView view) {
    String prefix = "file:";
    return view.peer().startsWith(prefix) ? view.peer().substring(prefix.length()) : view.peer();
  }

  private static String orNone(String amount) {
    return amount.isEmpty() ? "0" : amount;
  }

  private static void pause() {
    try {
      Thread.sleep(WATCH_MS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
