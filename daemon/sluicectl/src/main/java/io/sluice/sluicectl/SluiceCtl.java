package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Failures.Failure;
import java.io.Console;
import java.io.ObjectInputFilter;
import java.io.PrintWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program {@code sluicectl}: a noun, a verb, and what they apply to. */
@Command(
    name = "sluicectl",
    description = "Controls the daemon sluiced.",
    versionProvider = SluiceCtl.VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:refused or failed",
      "2:wrong arguments",
      "3:the daemon cannot be reached",
      "4:there is nothing of that name",
      "5:not permitted",
      "6:more memory than there is or is granted",
      "7:the migration was given up: the guest goes on where it was",
      "8:whether the guest has moved is not known: status says what to do",
      "75:busy, retry",
      "130:interrupted"
    })
public final class SluiceCtl implements Runnable {
  private static final Path DEFAULT_SOCKET = Path.of("/run/sluice/control");
  private static final String SOCKET_VARIABLE = "SLUICE_SOCKET";

  /** What a daemon's answers may be made of. */
  private static final String ANSWER_FILTER =
      "maxdepth=32;maxarray=1000000;maxbytes=67108864;java.**;javax.management.**;"
          + "javax.security.auth.*;io.sluice.management.**;!*";

  private static final String ANSWER_TIMEOUT_MS = "30000";

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

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Prints the version and exits.")
  private boolean version;

  @Spec private @Nullable CommandSpec spec;

  private SluiceCtl(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Runs one command. */
  public static void main(String[] arguments) {
    System.setProperty("java.rmi.server.hostname", "localhost"); // or RMI asks for the host's name
    System.setProperty("sun.rmi.transport.tcp.responseTimeout", ANSWER_TIMEOUT_MS);
    ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(ANSWER_FILTER));
    System.exit(commandLine(System.getenv()).execute(arguments));
  }

  /**
   * The command line, as programs and tests run it.
   *
   * @param environment the process' environment
   */
  public static CommandLine commandLine(Map<String, String> environment) {
    SluiceCtl ctl = new SluiceCtl(environment);
    CommandLine line =
        new CommandLine(ctl)
            .addSubcommand(new DaemonCommand(ctl))
            .addSubcommand(new GpuCommand(ctl))
            .addSubcommand(new GuestCommand(ctl))
            .addSubcommand(new ChannelCommand(ctl))
            .addSubcommand(new SessionCommand(ctl))
            .addSubcommand(new MigrationCommand(ctl))
            .addSubcommand(new QuotaCommand(ctl))
            .addSubcommand(new TopCommand(ctl, System::nanoTime))
            .addSubcommand(new MonitorCommand(ctl))
            .addSubcommand(new ExplainCommand(ctl))
            .addSubcommand(new VersionCommand(ctl))
            .addSubcommand(new CompletionCommand(ctl));
    line.setExecutionExceptionHandler((e, _, _) -> ctl.failed(e));
    line.setParameterExceptionHandler((e, _) -> misused(e));
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(line(), "a command is missing");
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

  LocalConnection connect() throws LocalConnectException {
    return LocalConnection.open(socket());
  }

  Output output() {
    return new Output(line(), format, columns, !noHeader);
  }

  CommandLine line() {
    CommandSpec filled = spec;
    if (filled == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return filled.commandLine();
  }

  /** Wrong arguments: says what was probably meant, or where to read what there is. */
  private static int misused(ParameterException e) {
    String help = "see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    String fix =
        e instanceof UnmatchedArgumentException unmatched && !unmatched.getSuggestions().isEmpty()
            ? "did you mean " + String.join(" or ", unmatched.getSuggestions()) + "? " + help
            : help;
    PrintWriter err = e.getCommandLine().getErr();
    err.print(Problem.of(ErrorCode.USAGE, String.valueOf(e.getMessage()), "", fix).render());
    err.flush();
    return ExitCode.USAGE;
  }

  private int failed(Exception e) {
    Failure failure = Failures.of(e, socket());
    PrintWriter err = line().getErr();
    err.print(failure.problem().render());
    if (debug) {
      e.printStackTrace(err);
    }
    err.flush();
    return failure.exitCode();
  }

  /** This program's version, as the build stamped it on the module. */
  static String version() {
    ModuleDescriptor module = SluiceCtl.class.getModule().getDescriptor();
    return module == null ? "unknown" : module.rawVersion().orElse("unknown");
  }

  /** The text of {@code --version}. */
  static final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"sluicectl " + version()};
    }
  }
}
