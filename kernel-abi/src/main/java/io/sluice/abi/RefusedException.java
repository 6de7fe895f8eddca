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
   * One whose code comes from elsewhere: a peer, or an operator's interface.
   *
   * @param code stable code, {@code SLU-<area>-<three digits>}
   * @param errno the number a guest or peer is answered with
   * @param what what was refused and why, with {@code name=value} context
   * @param remedy what to do about it; empty when nothing can be done
   */
  public RefusedException(String code, Errno errno, String what, String remedy) {
    super(code, Category.ERROR, what, remedy);
    this.errno = errno;
  }

  /**
   * @param error of a module of ours
   * @param errno the number a guest or peer is answered with
   * @param what what was refused and why, with {@code name=value} context
   * @param remedy what to do about it; empty when the message has nothing to add to docs/errors.md
   */
  public RefusedException(ErrorEntry error, Errno errno, String what, String remedy) {
    this(error.code(), errno, what, remedy);
  }

  /** The number a guest or peer is answered with. */
  public Errno errno() {
    return errno;
  }
}
