package io.sluice.sluicectl;

import io.sluice.management.Problem;

/** A refusal by this program itself. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final int exitCode;

  ProblemException(Problem problem, int exitCode) {
    super(problem.text());
    this.problem = problem;
    this.exitCode = exitCode;
  }

  Problem problem() {
    return problem;
  }

  int exitCode() {
    return exitCode;
  }
}
