package io.sluice.sluicectl;

import io.sluice.management.CheckpointView;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl checkpoint …}. */
final class CheckpointCommand extends Noun {
  CheckpointCommand(GlobalOptions global) {
    super(global, "checkpoint", "Files of guests and sessions; guest checkpoint writes one.");
  }

  @Command(
      name = "list",
      description = {
        "The checkpoints in a directory, by what they begin and end with. The daemon reads them, as"
            + " its user."
      })
  int list(
      @Parameters(
              arity = "0..1",
              paramLabel = "DIRECTORY",
              description = "checkpoints in the daemon's state-dir when left out.")
          @Nullable Path directory)
      throws IOException, OperationsException {
    String path = directory == null ? "" : directory.toAbsolutePath().normalize().toString();
    try (LocalConnection connection = global.connect()) {
      global.output().list(Views.CHECKPOINTS, connection.migrations().checkpoints(path));
    }
    return ExitCode.OK;
  }

  @Command(
      name = "show",
      description = {
        "The guest, kind, size and time of one. Not all of it is read: whether it is undamaged shows"
            + " when it is restored."
      })
  int show(
      @Parameters(paramLabel = "FILE", description = "From guest checkpoint; the daemon reads it.")
          Path file)
      throws IOException, OperationsException {
    Path path = file.toAbsolutePath().normalize();
    Output output = global.output();
    try (LocalConnection connection = global.connect()) {
      CheckpointView found =
          connection.migrations().checkpoints(path.toString()).stream()
              .filter(each -> each.file().equals(path.toString()))
              .findFirst()
              .orElseThrow(() -> directory(path));
      switch (output.format()) {
        case table -> output.facts(facts(found));
        case csv -> output.list(Views.CHECKPOINTS, List.of(found));
        case json ->
            output.json(json -> {
              json.writeName("checkpoint");
              Output.object(json, Views.CHECKPOINTS.choose(output), found);
            });
      }
    }
    return ExitCode.OK;
  }

  private static ProblemException directory(Path path) {
    return new ProblemException(
        Problem.of(
            ErrorCode.CHECKPOINT_FAILED,
            "no checkpoint " + path,
            "it is a directory",
            "sluicectl checkpoint list shows what is in it"),
        ExitCode.FAILED);
  }

  private static List<Fact> facts(CheckpointView found) {
    return List.of(
        new Fact("file", found.file()),
        new Fact("kind", found.kind()),
        new Fact("guest", found.guest().isEmpty() ? "-" : found.guest()),
        new Fact("state", found.state()),
        new Fact("size", Views.amount(found.sizeBytes())),
        new Fact("video memory", found.videoBytes() == 0 ? "-" : Views.amount(found.videoBytes())),
        new Fact("written", Views.second(found.writtenMs())));
  }
}
