package io.sluice.abi;

/** A system call that failed: the call, its arguments, and the errno it left. */
public final class SyscallException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int errno;

  /**
   * @param call the name of the system call
   * @param arguments its arguments as {@code name=value, …}
   * @param errno the positive error number
   */
  public SyscallException(String call, String arguments, int errno) {
    super(
        AbiCode.SYSTEM_CALL.code(),
        Category.ERROR,
        call + "(" + arguments + ") failed: " + Errno.nameOf(errno),
        "");
    this.call = call;
    this.errno = errno;
  }

  /** The name of the system call. */
  public String call() {
    return call;
  }

  /** The positive error number. */
  public int errno() {
    return errno;
  }

  /** Whether the call left this error. */
  public boolean is(Errno expected) {
    return errno == expected.number();
  }
}
