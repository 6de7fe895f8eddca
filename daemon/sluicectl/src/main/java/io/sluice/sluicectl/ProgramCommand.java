package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.time.Duration;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluicectl program …}. */
final class ProgramCommand extends Noun {
  private static final String GUEST = "Name, UUID, or GPU/NAME.";
  private static final String NUMBER = "Its number, as program list shows it.";

  /** The longest that a card's memory takes to the host's or back, with time to spare. */
  private static final Duration COPY = Duration.ofMinutes(10);

  ProgramCommand(GlobalOptions global) {
    super(global, "program", "CUDA programs of guests; guest run starts one.");
  }

  @Command(name = "list", description = "The CUDA programs of one guest, or of all.")
  int list(
      @Parameters(
              arity = "0..1",
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = "Name, UUID, or GPU/NAME; all when left out.")
          @Nullable String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = name == null ? "" : find(connection, name);
      global.output().list(Views.PROGRAMS, connection.programs().list(guest));
    }
    return ExitCode.OK;
  }

  @Command(
      name = "end",
      description = {
        "Ends a program's use of its GPU: all it has there is gone, and its calls fail. Its process"
            + " goes on, and so do the guest's other programs."
      })
  int end(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "PROGRAM",
              completionCandidates = Candidates.ProgramNumbers.class,
              description = NUMBER)
          long number)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      connection.programs().end(find(connection, name), number);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "suspend",
      description = {
        "Takes the GPU from a program once its work is done: its video memory and channels are given"
            + " back, and what was in that memory is kept in the host's. Its process goes on, and"
            + " waits for the GPU until program resume."
      })
  int suspend(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "PROGRAM",
              completionCandidates = Candidates.ProgramNumbers.class,
              description = NUMBER)
          long number,
      @Option(
              names = "--wait",
              paramLabel = "SECONDS",
              defaultValue = "10",
              description =
                  "Time that its work is given: 1 to 3600, 10 when left out. When it is not"
                      + " done by then, the program goes on.")
          int seconds)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect(COPY.plusSeconds(seconds))) {
      connection.programs().suspend(find(connection, name), number, seconds);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "resume",
      description = {
        "Gives a suspended program the GPU again, or another one of the same kind, with all that it"
            + " had there; what it has submitted meanwhile runs."
      })
  int resume(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "PROGRAM",
              completionCandidates = Candidates.ProgramNumbers.class,
              description = NUMBER)
          long number,
      @Option(
              names = "--gpu",
              completionCandidates = Candidates.Gpus.class,
              paramLabel = "GPU",
              defaultValue = "",
              description = "A GPU by name; the one that it had when left out.")
          String gpu)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect(COPY)) {
      connection.programs().resume(find(connection, name), number, gpu);
    }
    return ExitCode.OK;
  }

  private static String find(LocalConnection connection, String name) {
    return GuestNames.find(connection.daemon().getGuests(), name).name();
  }
}
