package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import java.io.Console;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The options that every command has, and what follows from them: the daemon to ask, the form of
 * answers.
 */
final class GlobalOptions {
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
  private static final Path DEFAULT_SOCKET = Path.of("/run/sluice/control");
  private static final String SOCKET_VARIABLE = "SLUICE_SOCKET";
  private static final String COLUMNS_VARIABLE = "SLUICE_COLUMNS";
  private static final String ANSWER_TIMEOUT = "sun.rmi.transport.tcp.responseTimeout";

  private final Map<String, String> environment;

  @Option(
      names = {"-s", "--socket"},
      paramLabel = "PATH",
      scope = ScopeType.INHERIT,
      description = "The daemon's control socket. Default: $SLUICE_SOCKET, or /run/sluice/control.")
  private @Nullable Path socket;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      scope = ScopeType.INHERIT,
      description = "table, json or csv. Programs should read json: it is versioned.")
  private Format format = Format.table;

  @Option(
      names = "--columns",
      paramLabel = "NAME",
      split = ",",
      scope = ScopeType.INHERIT,
      description = "Columns to show, separated by commas.")
  private List<String> columns = new ArrayList<>();

  @Option(
      names = "--no-header",
      scope = ScopeType.INHERIT,
      description = "Without the names of the columns.")
  private boolean noHeader;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "With an error, prints where it came from.")
  private boolean debug;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Prints this and exits.")
  private boolean help;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  /**
   * Creates them.
   *
   * @param environment the process' environment
   */
  GlobalOptions(Map<String, String> environment) {
    this.environment = environment;
  }

  Path socket() {
    Path chosen = socket;
    if (chosen != null) {
      return chosen;
    }
    String variable = environment.get(SOCKET_VARIABLE);
    return variable == null || variable.isEmpty() ? DEFAULT_SOCKET : Path.of(variable);
  }

  /** Whether what is printed goes to a terminal, where it can be drawn over. */
  boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Whether progress is drawn: where standard error is a terminal, whatever standard output is. */
  boolean drawsProgress() {
    try {
      String file = Files.readSymbolicLink(STANDARD_ERROR).toString();
      return file.matches("/dev/(pts/[0-9]+|tty.*|console)");
    } catch (IOException | UnsupportedOperationException _) {
      return false;
    }
  }

  LocalConnection connect() throws LocalConnectException {
    return LocalConnection.open(socket());
  }

  /**
   * Connects for an operation that takes longer than others.
   *
   * @param longest how long it may take
   */
  LocalConnection connect(Duration longest) throws LocalConnectException {
    waitForAnswers(longest);
    return connect();
  }

  /**
   * Sets how long the daemon's answers are waited for. RMI reads it once, when a process connects
   * for the first time.
   */
  static void waitForAnswers(Duration longest) {
    System.setProperty(ANSWER_TIMEOUT, Long.toString(longest.toMillis()));
  }

  /** The same, unless whoever started Java has set it. */
  static void waitForAnswersUnlessSet(Duration longest) {
    if (System.getProperty(ANSWER_TIMEOUT) == null) {
      waitForAnswers(longest);
    }
  }

  /** Where what starts CUDA programs is looked for. */
  CudaFiles cudaFiles() {
    return CudaFiles.of(environment, CudaFiles.jars());
  }

  Output output() {
    return new Output(line(), format, columns, !noHeader, width());
  }

  /** As the launcher says, which can ask the terminal sooner than Java can. */
  private int width() {
    String said = environment.getOrDefault(COLUMNS_VARIABLE, "");
    return said.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(said) : Output.UNLIMITED;
  }

  CommandLine line() {
    CommandSpec filled = spec;
    if (filled == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return filled.commandLine();
  }

  /** The command that runs: the last that was named. */
  static CommandLine running(CommandLine root) {
    CommandLine.ParseResult result = root.getParseResult();
    while (result != null && result.hasSubcommand()) {
      result = result.subcommand();
    }
    return result == null ? root : result.commandSpec().commandLine();
  }

  /** Whether errors say where they came from. */
  boolean debug() {
    return debug;
  }

  /** This program's version, as the build stamped it on the module. */
  static String version() {
    ModuleDescriptor module = GlobalOptions.class.getModule().getDescriptor();
    return module == null ? "unknown" : module.rawVersion().orElse("unknown");
  }
}
