package io.sluice.management.local;

import io.sluice.management.Problem;
import java.io.IOException;

/** The daemon cannot be reached; says by which socket, why, and what to do. */
public final class LocalConnectException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient Problem problem;
  private final boolean permission;

  LocalConnectException(Problem problem, boolean permission, Throwable cause) {
    super(problem.text(), cause);
    this.problem = problem;
    this.permission = permission;
  }

  /** For the operator. */
  public Problem problem() {
    return problem;
  }

  /** Whether it is a matter of rights; otherwise the daemon does not answer. */
  public boolean isPermission() {
    return permission;
  }
}
