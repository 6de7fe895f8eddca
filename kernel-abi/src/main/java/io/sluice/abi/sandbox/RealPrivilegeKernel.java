package io.sluice.abi.sandbox;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The kernel that keeps this process's privileges. Has no state of its own. */
public final class RealPrivilegeKernel implements PrivilegeKernel {
  private static final int PR_CAPBSET_DROP = 24;
  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final int F_SETFD = 2;
  private static final int FD_CLOEXEC = 1;

  @Override
  public void dropBound(int capability) {
    RawCalls.check(
        RawCalls.call(SystemCall.PRCTL, PR_CAPBSET_DROP, capability, 0, 0),
        "prctl",
        "PR_CAPBSET_DROP, capability=" + capability);
  }

  @Override
  public void setCapabilities(long permitted, long inheritable) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment header = arena.allocate(UserCapHeader.LAYOUT);
      UserCapHeader.VERSION.set(header, UserCapHeader.VERSION_3);
      MemorySegment words =
          arena.allocateFrom(
              ValueLayout.JAVA_INT,
              (int) permitted,
              (int) permitted,
              (int) inheritable,
              (int) (permitted >>> Integer.SIZE),
              (int) (permitted >>> Integer.SIZE),
              (int) (inheritable >>> Integer.SIZE));
      RawCalls.check(
          RawCalls.call(SystemCall.CAPSET, header.address(), words.address(), 0, 0),
          "capset",
          "permitted=0x"
              + Long.toHexString(permitted)
              + ", inheritable=0x"
              + Long.toHexString(inheritable));
    }
  }

  @Override
  public void forbidNewPrivileges() {
    RawCalls.check(
        RawCalls.call(SystemCall.PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0),
        "prctl",
        "PR_SET_NO_NEW_PRIVS");
  }

  @Override
  public void closeOnExec(int descriptor) {
    RawCalls.check(
        RawCalls.call(SystemCall.FCNTL, descriptor, F_SETFD, FD_CLOEXEC, 0),
        "fcntl",
        "fd=" + descriptor + ", F_SETFD, FD_CLOEXEC");
  }

  @Override
  public void become(Path program, List<byte[]> arguments, List<byte[]> environment) {
    RawCalls.execute(program.toString().getBytes(StandardCharsets.UTF_8), arguments, environment);
  }
}
