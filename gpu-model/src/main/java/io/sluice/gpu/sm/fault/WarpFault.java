package io.sluice.gpu.sm.fault;

/** A program's fault; it carries no stack trace: guests cause it. */
public final class WarpFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final WarpError error;
  private final long address;

  public WarpFault(WarpError error, long address) {
    super(null, null, false, false);
    this.error = error;
    this.address = address;
  }

  public WarpFault(WarpError error) {
    this(error, 0);
  }

  public WarpError error() {
    return error;
  }

  public long address() {
    return address;
  }
}
