package io.sluice.abi;

/**
 * An operation that Sluice itself refuses: bad input, a limit, a wrong state.
 *
 * <p>It carries the errno that a guest or a protocol peer is answered with, so that the same check
 * serves the operator (text) and the guest (number).
 */
public final class RefusedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  /**
   * @param code stable code, {@code SLU-<area>-<three digits>}
   * @param errno the number a guest or peer is answered with
   * @param what what was refused and why, with {@code name=value} context
   * @param remedy what to do about it; empty when nothing can be done
   */
  public RefusedException(String code, Errno errno, String what, String remedy) {
    super(code, Category.ERROR, what, remedy);
    this.errno = errno;
  }

  /** The number a guest or peer is answered with. */
  public Errno errno() {
    return errno;
  }
}
