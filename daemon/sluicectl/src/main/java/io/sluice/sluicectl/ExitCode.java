package io.sluice.sluicectl;

import io.sluice.management.ErrorKind;

/** What the program exits with. Promised to scripts, and listed on the help page. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = ErrorKind.FAILED.exitCode();
  static final int USAGE = 2;
  static final int UNREACHABLE = 3;
  static final int NOT_FOUND = ErrorKind.NOT_FOUND.exitCode();
  static final int PERMISSION = ErrorKind.PERMISSION.exitCode();

  private ExitCode() {}
}
