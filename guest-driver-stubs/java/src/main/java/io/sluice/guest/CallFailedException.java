package io.sluice.guest;

import io.sluice.abi.Errno;

/** The host refused a call. */
public final class CallFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  CallFailedException(String call, int errno) {
    super(call + " was refused: " + Errno.nameOf(errno));
    this.errno = errno;
  }

  /** The positive error number. */
  public int errno() {
    return errno;
  }
}
