package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl program …}. */
@Command(
    name = "program",
    description = "CUDA programs of guests; guest run starts one.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
final class ProgramCommand extends Noun {
  ProgramCommand(GlobalOptions global) {
    super(global, "program");
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
      String guest =
          name == null ? "" : GuestNames.find(connection.daemon().getGuests(), name).name();
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
              description = "Name, UUID, or GPU/NAME.")
          String name,
      @Parameters(paramLabel = "PROGRAM", description = "Its number, as program list shows it.")
          long number)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = GuestNames.find(connection.daemon().getGuests(), name).name();
      connection.programs().end(guest, number);
    }
    return ExitCode.OK;
  }
}
