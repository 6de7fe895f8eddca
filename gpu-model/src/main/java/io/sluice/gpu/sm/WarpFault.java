package io.sluice.gpu.sm;

/** A program's fault; it carries no stack trace: guests cause it. */
final class WarpFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final WarpError error;
  private final long address;

  WarpFault(WarpError error, long address) {
    super(null, null, false, false);
    this.error = error;
    this.address = address;
  }

  WarpFault(WarpError error) {
    this(error, 0);
  }

  WarpError error() {
    return error;
  }

  long address() {
    return address;
  }
}
