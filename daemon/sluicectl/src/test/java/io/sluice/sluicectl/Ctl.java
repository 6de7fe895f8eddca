package io.sluice.sluicectl;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Runs sluicectl in this process. */
final class Ctl {
  private final Path socket;

  /**
   * @param socket of the daemon; shown as /run/sluice/control
   */
  Ctl(Path socket) {
    this.socket = socket;
  }

  /**
   * What a command did.
   *
   * @param code exit code
   * @param out standard output
   * @param err standard error
   */
  record Run(int code, String out, String err) {}

  Run run(String... arguments) {
    return run(Map.of(), arguments);
  }

  /**
   * @param environment besides the socket
   */
  Run run(Map<String, String> environment, String... arguments) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("SLUICE_SOCKET", socket.toString());
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = SluiceCtl.commandLine(all, List.of(arguments));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    line.setUsageHelpWidth(80);
    line.getSubcommands().values().forEach(Ctl::fixWidth);
    int code = line.execute(arguments);
    return new Run(code, shown(out), shown(err));
  }

  /** Help pages are as wide as the terminal; goldens are not. */
  private static void fixWidth(CommandLine line) {
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(80);
    line.getSubcommands().values().forEach(Ctl::fixWidth);
  }

  private String shown(StringWriter text) {
    return text.toString()
        .replace(socket.toString(), "/run/sluice/control")
        .replace(GlobalOptions.version(), "VERSION");
  }
}
