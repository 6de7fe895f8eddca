package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code sluicectl gpu …}. */
@Command(name = "gpu", description = "The GPUs.", synopsisSubcommandLabel = "COMMAND")
final class GpuCommand extends Noun {
  GpuCommand(GlobalOptions global) {
    super(global, "gpu");
  }

  @Command(name = "list", description = "The GPUs that are served.")
  int list() throws IOException {
    try (LocalConnection connection = global.connect()) {
      global.output().list(Views.GPUS, List.copyOf(connection.daemon().getGpus().values()));
    }
    return ExitCode.OK;
  }
}
