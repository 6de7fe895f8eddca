package io.sluice.abi.sys;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The way of {@link Libc}'s results to values, descriptors and exceptions. */
final class Calls {
  private static final int EINTR = Errno.EINTR.number();
  private static final int EAGAIN = Errno.EAGAIN.number();

  private Calls() {}

  /** Whether a signal cut the call short, so that it is to be made again. */
  static boolean interrupted(long result) {
    return result == -EINTR;
  }

  /** Whether a non-blocking descriptor had nothing to give or no room. */
  static boolean wouldBlock(long result) {
    return result == -EAGAIN;
  }

  /** The result, unless it is a negative errno. */
  static int check(int result, String call, Supplier<String> arguments) {
    if (result < 0) {
      throw new SyscallException(call, arguments.get(), -result);
    }
    return result;
  }

  /** The name that the kernel has for what a descriptor is of. */
  static String link(Fd fd) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fd.number())).toString();
    } catch (IOException e) {
      throw new SyscallException("readlink", fd.toString(), Errno.EIO.number());
    }
  }

  /** A descriptor of this process that just came to be. */
  static Fd own(int number) {
    return new Fd(number, Calls::close);
  }

  /**
   * Never repeated: Linux has released the number even when the call was interrupted. Other
   * failures tell of data that a file lost, which no file of ours can; a bad number is a bug.
   */
  private static void close(int number) {
    if (Libc.close(number) == -Errno.EBADF.number()) {
      throw new AssertionError("a descriptor was closed behind its owner's back, fd=" + number);
    }
  }
}
