package io.sluice.sluicectl;

import io.sluice.sluicectl.Failures.Failure;
import java.io.ObjectInputFilter;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/** The program {@code sluicectl}: a noun, a verb, and what they apply to. */
public final class SluiceCtl implements Runnable {
  /** What a daemon's answers may be made of. */
  private static final String ANSWER_FILTER =
      "maxdepth=32;maxarray=1000000;maxbytes=67108864;java.**;javax.management.**;"
          + "javax.security.auth.*;io.sluice.management.**;!*";

  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

  /** In the order of the help. */
  private static final List<String> COMMANDS =
      List.of(
          "daemon",
          "gpu",
          "guest",
          "channel",
          "session",
          "program",
          "checkpoint",
          "migration",
          "quota",
          "irq",
          "top",
          "monitor",
          "diag",
          "explain",
          "version",
          "completion");

  private static final String[] EXIT_CODES = {
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
  };

  /** No command, and no verb of one. */
  private static final String ALL = "";

  private final GlobalOptions global;

  private SluiceCtl(GlobalOptions global) {
    this.global = global;
  }

  /** Runs one command. */
  public static void main(String[] arguments) {
    System.setProperty("java.rmi.server.hostname", "localhost"); // or RMI asks for the host's name
    GlobalOptions.waitForAnswersUnlessSet(ANSWER_TIMEOUT);
    ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(ANSWER_FILTER));
    System.exit(commandLine(System.getenv(), List.of(arguments)).execute(arguments));
  }

  /**
   * The command line with what the arguments can need of it: where they name a command, maybe
   * behind options, that one alone, and of its verbs the one that they name. All of them take
   * longer to make than most take to run.
   *
   * @param environment the process' environment
   */
  static CommandLine commandLine(Map<String, String> environment, List<String> arguments) {
    SluiceCtl ctl = new SluiceCtl(new GlobalOptions(environment));
    CommandLine root = ctl.root();
    Iterator<String> words = arguments.iterator();
    String command = firstWord(root.getCommandSpec(), words);
    if (!COMMANDS.contains(command) || command.equals("completion")) { // that is of all
      return ctl.with(COMMANDS, ALL, root);
    }
    return ctl.with(List.of(command), firstWord(root.getCommandSpec(), words), root);
  }

  /**
   * The first word that is no option and no value of one.
   *
   * @return {@link #ALL} when there is none, or when help is wanted, which is about all
   */
  private static String firstWord(CommandSpec root, Iterator<String> words) {
    while (words.hasNext()) {
      String word = words.next();
      if (!word.startsWith("-")) {
        return word; // picocli would find an option of that name
      }
      int value = word.indexOf('=');
      OptionSpec option = root.findOption(value < 0 ? word : word.substring(0, value));
      if (option == null) {
        return word;
      }
      if (option.usageHelp() || option.versionHelp()) {
        return ALL;
      }
      if (value < 0 && option.arity().max() > 0 && words.hasNext()) {
        words.next(); // may look like a command
      }
    }
    return ALL;
  }

  /**
   * The whole command line, with all that its pages say.
   *
   * @param environment the process' environment
   */
  public static CommandLine commandLine(Map<String, String> environment) {
    SluiceCtl ctl = new SluiceCtl(new GlobalOptions(environment));
    CommandLine line = ctl.with(COMMANDS, ALL, ctl.root());
    CommandPages.addTo(line);
    return line;
  }

  private CommandLine root() {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("sluicectl");
    spec.versionProvider(() -> new String[] {"sluicectl " + GlobalOptions.version()});
    spec.usageMessage()
        .description("Controls the daemon sluiced.")
        .synopsisSubcommandLabel("COMMAND")
        .autoWidth(true)
        .exitCodeListHeading("%nExit codes:%n")
        .exitCodeList(UsageMessageSpec.keyValuesMap(EXIT_CODES));
    global.addTo(spec);
    spec.addOption(
        OptionSpec.builder("-V", "--version")
            .versionHelp(true)
            .description("Prints the version and exits.")
            .build());
    return new CommandLine(spec);
  }

  private CommandLine with(List<String> commands, String verb, CommandLine line) {
    for (String name : commands) {
      Object command = command(name, global);
      line.addSubcommand(name, command instanceof Noun noun ? noun.line(verb) : command);
    }
    line.setHelpFactory(CommandPages::help);
    line.setExpandAtFiles(false); // of guest run's command each word is the program's
    line.setExecutionExceptionHandler((e, _, _) -> failed(e));
    line.setParameterExceptionHandler((e, _) -> misused(e));
    return line;
  }

  private static Object command(String name, GlobalOptions global) {
    return switch (name) {
      case "daemon" -> new DaemonCommand(global);
      case "gpu" -> new GpuCommand(global);
      case "guest" -> new GuestCommand(global);
      case "channel" -> new ChannelCommand(global);
      case "session" -> new SessionCommand(global);
      case "program" -> new ProgramCommand(global);
      case "checkpoint" -> new CheckpointCommand(global);
      case "migration" -> new MigrationCommand(global);
      case "quota" -> new QuotaCommand(global);
      case "irq" -> new IrqCommand(global);
      case "top" -> new TopCommand(global, System::nanoTime);
      case "monitor" -> new MonitorCommand(global);
      case "diag" -> new DiagCommand(global);
      case "explain" -> new ExplainCommand(global);
      case "version" -> new VersionCommand(global);
      case "completion" -> new CompletionCommand(global);
      default -> throw new IllegalArgumentException(name);
    };
  }

  @Override
  public void run() {
    throw new ParameterException(global.line(), "a command is missing");
  }

  /** Wrong arguments: says what was probably meant, or where to read what there is. */
  private static int misused(ParameterException e) {
    PrintWriter err = e.getCommandLine().getErr();
    err.print(Failures.misuse(e).render());
    err.flush();
    return ExitCode.USAGE;
  }

  private int failed(Exception e) {
    Failure failure = Failures.of(e, global.socket());
    PrintWriter err = global.line().getErr();
    err.print(failure.problem().render());
    if (global.debug()) {
      e.printStackTrace(err);
    }
    err.flush();
    return failure.exitCode();
  }
}
