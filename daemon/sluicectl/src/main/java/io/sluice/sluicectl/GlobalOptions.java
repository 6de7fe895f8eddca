package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import java.io.Console;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ScopeType;

/**
 * The options that every command has, and what follows from them: the daemon to ask, the form of
 * answers. They are built, where those of single commands are annotated: to read annotations and
 * set fields Java makes classes at each start, which takes longer than most commands.
 */
final class GlobalOptions {
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
  private static final Path DEFAULT_SOCKET = Path.of("/run/sluice/control");
  private static final String SOCKET_VARIABLE = "SLUICE_SOCKET";
  private static final String COLUMNS_VARIABLE = "SLUICE_COLUMNS";
  private static final String ANSWER_TIMEOUT = "sun.rmi.transport.tcp.responseTimeout";

  private final Map<String, String> environment;

  private final OptionSpec socket =
      option("-s", "--socket")
          .paramLabel("PATH")
          .type(Path.class)
          .description(
              "The daemon's control socket. Default: $SLUICE_SOCKET, or /run/sluice/control.")
          .build();

  private final OptionSpec format =
      option("-f", "--format")
          .paramLabel("FORMAT")
          .type(Format.class)
          .defaultValue(Format.table.name())
          .description("table, json or csv. Programs should read json: it is versioned.")
          .build();

  private final OptionSpec columns =
      option("--columns")
          .paramLabel("NAME")
          .type(List.class)
          .auxiliaryTypes(String.class)
          .splitRegex(",")
          .initialValue(List.of())
          .description("Columns to show, separated by commas.")
          .build();

  private final OptionSpec noHeader =
      flag("--no-header").description("Without the names of the columns.").build();

  private final OptionSpec debug =
      flag("--debug").description("With an error, prints where it came from.").build();

  private final OptionSpec help =
      flag("-h", "--help").usageHelp(true).description("Prints this and exits.").build();

  private @Nullable CommandSpec root;

  /**
   * Creates them.
   *
   * @param environment the process' environment
   */
  GlobalOptions(Map<String, String> environment) {
    this.environment = environment;
  }

  private static OptionSpec.Builder option(String name, String... names) {
    return OptionSpec.builder(name, names).scopeType(ScopeType.INHERIT);
  }

  private static OptionSpec.Builder flag(String name, String... names) {
    return option(name, names).type(boolean.class).initialValue(false);
  }

  /** Gives them to the whole command line; what is added to it later inherits them. */
  void addTo(CommandSpec root) {
    this.root = root;
    List.of(socket, format, columns, noHeader, debug, help).forEach(root::addOption);
  }

  Path socket() {
    Path chosen = socket.getValue();
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
    boolean plain = noHeader.getValue();
    return new Output(line(), format.getValue(), columns.getValue(), !plain, width());
  }

  /** As the launcher says, which can ask the terminal sooner than Java can. */
  private int width() {
    String said = environment.getOrDefault(COLUMNS_VARIABLE, "");
    return said.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(said) : Output.UNLIMITED;
  }

  CommandLine line() {
    CommandSpec filled = root;
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
    return debug.getValue();
  }

  /** This program's version, as the build stamped it on the module. */
  static String version() {
    ModuleDescriptor module = GlobalOptions.class.getModule().getDescriptor();
    return module == null ? "unknown" : module.rawVersion().orElse("unknown");
  }
}
