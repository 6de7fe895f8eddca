package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import io.sluice.management.local.LocalConnectException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.RuntimeMBeanException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The failures as the operator reads them, and what the program exits with. */
final class Failures {
  /** What the library puts before some of its messages, behind our own word for it. */
  private static final String PREFIX = "Error: ";

  private Failures() {}

  /**
   * @param problem to be printed
   * @param exitCode to be returned
   */
  record Failure(Problem problem, int exitCode) {}

  /**
   * @param socket of the daemon that was talked to
   */
  static Failure of(Exception e, Path socket) {
    return switch (e) {
      case ProblemException p -> new Failure(p.problem(), p.exitCode());
      case LocalConnectException c ->
          new Failure(c.problem(), c.isPermission() ? ExitCode.PERMISSION : ExitCode.UNREACHABLE);
      case UndeclaredThrowableException u when u.getCause() instanceof Exception cause ->
          of(cause, socket);
      case InstanceNotFoundException _ ->
          new Failure(
              Problem.of(
                  ErrorCode.GONE, "it is gone", "it was destroyed while it was asked about", ""),
              ExitCode.NOT_FOUND);
      case JMException _, RuntimeMBeanException _ -> refused(e);
      case IOException _ ->
          new Failure(
              Problem.of(
                  ErrorCode.CONTROL_BROKEN,
                  "the connection to sluiced at " + socket + " broke",
                  String.valueOf(e.getMessage()),
                  "see the daemon's log; what was asked for may have happened"),
              ExitCode.UNREACHABLE);
      default -> new Failure(unexpected(e), ExitCode.FAILED);
    };
  }

  private static Failure refused(Exception e) {
    Problem problem = Problem.parse(e.getMessage()).orElseGet(() -> unexpected(e));
    return new Failure(problem, problem.kind().exitCode());
  }

  /** JMX hands a failure of the daemon on as if it were one of this program. */
  private static Problem unexpected(Exception e) {
    return Problem.of(
        ErrorCode.BUG,
        "something failed that should not, here or in the daemon",
        e.toString(),
        "report it, with the daemon's log and what --debug prints");
  }

  /** A wrong command line. */
  static Problem misuse(ParameterException e) {
    CommandLine line = e.getCommandLine();
    String help = "see " + line.getCommandSpec().qualifiedName() + " --help";
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched, line, help);
    }
    String message = String.valueOf(e.getMessage());
    String what = message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : message;
    return usage(lowerFirst(what), help);
  }

  /** A word too many is a command that there is not, where commands are expected. */
  private static Problem unmatched(UnmatchedArgumentException e, CommandLine line, String help) {
    String word = e.getUnmatched().getFirst();
    if (e.isUnknownOption()) {
      return usage(
          "unknown option \"" + word + "\"",
          nearest(word, line.getCommandSpec().optionsMap().keySet(), help));
    }
    if (line.getSubcommands().isEmpty()) {
      return usage("there is no use for \"" + word + "\"", help);
    }
    return usage(
        "unknown command \"" + word + "\"", nearest(word, line.getSubcommands().keySet(), help));
  }

  private static String nearest(String word, Collection<String> known, String help) {
    Optional<String> near = Nearest.to(word, known);
    return near.map(name -> "did you mean \"" + name + "\"? " + help).orElse(help);
  }

  private static String lowerFirst(String text) {
    return text.isEmpty() ? text : Character.toLowerCase(text.charAt(0)) + text.substring(1);
  }

  private static Problem usage(String what, String fix) {
    return Problem.of(ErrorCode.USAGE, what, "", fix);
  }
}
