package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code sluicectl gpu …}. */
@Command(name = "gpu", description = "The GPUs.", synopsisSubcommandLabel = "COMMAND")
final class GpuCommand extends Noun {
  GpuCommand(SluiceCtl ctl) {
    super(ctl, "gpu");
  }

  @Command(name = "list", description = "The GPUs that are served.")
  int list() throws IOException {
    try (LocalConnection connection = ctl.connect()) {
      ctl.output().list(Views.GPUS, List.copyOf(connection.daemon().getGpus().values()));
    }
    return ExitCode.OK;
  }
}
