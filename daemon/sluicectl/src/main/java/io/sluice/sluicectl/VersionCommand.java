package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code sluicectl version}: of this program, and of the daemon if it can be reached. */
@Command(name = "version", description = "The version of this program and of the daemon.")
final class VersionCommand implements Callable<Integer> {
  private final GlobalOptions global;

  VersionCommand(GlobalOptions global) {
    this.global = global;
  }

  @Override
  public Integer call() throws IOException {
    Output output = global.output();
    String daemon = daemonVersion();
    if (output.format() == Format.json) {
      output.json(json -> {
        json.writeStringProperty("sluicectl", GlobalOptions.version());
        if (daemon.isEmpty()) {
          json.writeNullProperty("sluiced");
        } else {
          json.writeStringProperty("sluiced", daemon);
        }
      });
    } else {
      output.facts(
          List.of(
              new Fact("sluicectl", GlobalOptions.version()),
              new Fact(
                  "sluiced", daemon.isEmpty() ? "not reachable at " + global.socket() : daemon)));
    }
    return ExitCode.OK;
  }

  private String daemonVersion() throws IOException {
    try (LocalConnection connection = global.connect()) {
      return connection.daemon().getVersion();
    } catch (LocalConnectException _) {
      return "";
    }
  }
}
