package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.local.LocalConnectException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.RuntimeMBeanException;

/** The failures as the operator reads them, and what the program exits with. */
final class Failures {
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
}
