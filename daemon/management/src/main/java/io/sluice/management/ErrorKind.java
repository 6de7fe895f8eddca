package io.sluice.management;

/**
 * The kind of an error, by what an operator or script can do about it; {@code sluicectl} exits with
 * its number.
 */
public enum ErrorKind {
  /** Refused, or failed. */
  FAILED(1),
  /** It is not what is taken there: out of range, or no name for such a thing. */
  USAGE(2),
  /** Something of that name does not exist. */
  NOT_FOUND(4),
  /** The caller may not. */
  PERMISSION(5),
  /** More than there is, or than is granted. */
  QUOTA(6),
  /** Not now; the same request may succeed later. */
  BUSY(75);

  private final int exitCode;

  ErrorKind(int exitCode) {
    this.exitCode = exitCode;
  }

  /** Exit code of {@code sluicectl}. */
  public int exitCode() {
    return exitCode;
  }
}
