package io.sluice.abi.sandbox;

import io.sluice.abi.SyscallException;
import java.nio.file.Path;
import java.util.List;

/**
 * The seam to the operating system for a program that gives up privileges and starts itself again.
 * Privileges are the calling thread's. All failures are {@link SyscallException}.
 */
public interface PrivilegeKernel {
  /**
   * {@code prctl(PR_CAPBSET_DROP)}: no program that is executed gets this capability by root's
   * rights.
   */
  void dropBound(int capability);

  /**
   * {@code capset}: the calling thread has these alone, and no ambient ones but what is in both.
   *
   * @param permitted bits; also the effective ones
   * @param inheritable bits
   */
  void setCapabilities(long permitted, long inheritable);

  /** {@code prctl(PR_SET_NO_NEW_PRIVS)}: no program that is executed gains privileges. */
  void forbidNewPrivileges();

  /** {@code fcntl(F_SETFD, FD_CLOEXEC)}: a program that is executed does not have it. */
  void closeOnExec(int descriptor);

  /**
   * {@code execve}: the process becomes another program, with the descriptors that are not to be
   * closed then. Returns only when that fails.
   *
   * @param arguments without the zeros that end them, as {@code environment}
   */
  void become(Path program, List<byte[]> arguments, List<byte[]> environment);
}
