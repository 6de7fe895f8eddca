package io.sluice.sluicectl;

import io.sluice.management.ErrorKind;

/** The exit codes of the program. Promised to scripts, and listed on the help page. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = ErrorKind.FAILED.exitCode();
  static final int USAGE = 2;
  static final int UNREACHABLE = 3;
  static final int NOT_FOUND = ErrorKind.NOT_FOUND.exitCode();
  static final int PERMISSION = ErrorKind.PERMISSION.exitCode();

  /** The guest runs where it was. */
  static final int MIGRATION_GIVEN_UP = 7;

  /** Whether the guest has moved is for the destination to say, which cannot be asked. */
  static final int MIGRATION_UNDECIDED = 8;

  private ExitCode() {}
}
