package io.sluice.sluicectl;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.HostCheckView;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluicectl daemon …}. */
final class DaemonCommand extends Noun {
  DaemonCommand(GlobalOptions global) {
    super(global, "daemon", "The daemon itself.");
  }

  @Command(
      name = "status",
      description = {
        "What it is, since when it runs, and its GPUs. With --format csv the daemon alone: gpu list"
            + " has the GPUs."
      })
  int status() throws IOException {
    Output output = global.output();
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      if (output.format() == Format.csv) {
        output.list(Views.DAEMON, List.of(daemon));
      } else if (output.format() == Format.json) {
        statusJson(output, daemon);
      } else {
        output.facts(
            List.of(
                new Fact("state", daemon.getState()),
                new Fact("version", daemon.getVersion()),
                new Fact("process", daemon.getPid() + ", user " + daemon.getUser()),
                new Fact("up", Views.uptime(daemon.getUptimeMs())),
                new Fact("configuration", orDefaults(daemon.getConfigFile())),
                new Fact("control socket", global.socket().toString()),
                new Fact(
                    "guests", daemon.getGuests().size() + ", sockets in " + daemon.getRunDir()),
                new Fact("log level", daemon.getLogLevel())));
        output.text("\n");
        output.list(Views.GPUS, List.copyOf(daemon.getGpus().values()));
      }
    }
    return ExitCode.OK;
  }

  private void statusJson(Output output, DaemonMXBean daemon) {
    output.json(json -> {
      json.writeName("daemon");
      Output.object(json, Views.DAEMON.columns(), daemon);
      json.writeName(Views.GPUS.plural());
      json.writeStartArray();
      daemon.getGpus().values().forEach(gpu -> Output.object(json, Views.GPUS.choose(output), gpu));
      json.writeEndArray();
    });
  }

  @Command(
      name = "check",
      description = {
        "Looks at what the daemon needs of its host: groups, directories, certificates, devices,"
            + " limits, KVM, QEMU, the monitors of its machines. Exits with 1 when something fails."
      })
  int check() throws IOException {
    try (LocalConnection connection = global.connect()) {
      List<HostCheckView> found = connection.daemon().checkHost();
      Output output = global.output();
      if (output.format() == Format.table && output.columns().isEmpty()) {
        output.text(text(found));
      } else {
        output.list(Views.CHECKS, found);
      }
      return found.stream().anyMatch(view -> view.result().equals(HostCheckView.FAILURE))
          ? ExitCode.FAILED
          : ExitCode.OK;
    }
  }

  private static String text(List<HostCheckView> found) {
    StringBuilder text = new StringBuilder();
    int width = found.stream().mapToInt(view -> view.subject().length()).max().orElse(0);
    for (HostCheckView view : found) {
      String subject = view.subject() + " ".repeat(width - view.subject().length());
      text.append("%-8s %s  %s%n".formatted(view.result(), subject, view.found()));
      if (!view.remedy().isEmpty()) {
        text.append("  fix:   ").append(view.remedy()).append('\n');
      }
    }
    return text.toString();
  }

  @Command(
      name = "config",
      description = "Every setting with its effective value and where that comes from.")
  int config(
      @Option(names = "--check", description = "Looks at it instead, as daemon check does.")
          boolean check)
      throws IOException {
    if (check) {
      return check();
    }
    try (LocalConnection connection = global.connect()) {
      global.output().list(Views.SETTINGS, connection.daemon().getConfiguration());
    }
    return ExitCode.OK;
  }

  @Command(
      name = "reload",
      description = {
        "Reads the configuration and the certificates anew. What can change under running guests"
            + " does so at once, the rest with the next start: it says which. Exits with 1 when"
            + " something fails."
      })
  int reload() throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      List<ReloadedSetting> found = connection.daemon().reload();
      Output output = global.output();
      if (output.format() == Format.table && output.columns().isEmpty() && found.isEmpty()) {
        output.text("nothing has changed\n");
      } else {
        output.list(Views.RELOADED, found);
      }
      return found.stream().anyMatch(each -> each.effect().equals(ReloadedSetting.FAILED))
          ? ExitCode.FAILED
          : ExitCode.OK;
    }
  }

  @Command(
      name = "log-level",
      description = "Shows the log level, or sets it until the daemon restarts.")
  int logLevel(
      @Parameters(
              arity = "0..1",
              paramLabel = "LEVEL",
              completionCandidates = Candidates.LogLevel.class,
              description = "error, warn, info, debug or trace")
          @Nullable String level)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      if (level != null) {
        daemon.setLogLevel(level);
      }
      String now = daemon.getLogLevel();
      Output output = global.output();
      if (output.format() == Format.json) {
        output.json(json -> json.writeStringProperty("logLevel", now));
      } else {
        output.text(now + "\n");
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "stop",
      description = {
        "Stops the daemon. Refused while machines, processes, sessions or CUDA programs use a GPU,"
            + " which they would lose, unless forced."
      })
  int stop(@Option(names = "--force", description = "Also when a GPU is in use.") boolean force)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      askToStop(connection.daemon(), force);
    }
    return ExitCode.OK;
  }

  /** The daemon may be gone before its answer is: that, too, is what was asked for. */
  private static void askToStop(DaemonMXBean daemon, boolean force) throws OperationsException {
    try {
      daemon.shutdown(force);
    } catch (UndeclaredThrowableException e) {
      if (!(e.getCause() instanceof IOException)) {
        throw e;
      }
    }
  }

  private static String orDefaults(String file) {
    return file.isEmpty() ? "defaults, no file" : file;
  }
}
