package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sandbox.Landlock;
import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The sandbox of the calling thread, and of the program that it becomes: no new privileges, no
 * capabilities, files by Landlock, system calls by seccomp. What is executed in it inherits it, and
 * nothing undoes it.
 */
final class Sandbox {
  /** {@code O_PATH}. */
  static final int PATH_ONLY = 0x200000;

  private final Kernel kernel;
  private final SandboxKernel calls;

  Sandbox(Kernel kernel, SandboxKernel calls) {
    this.kernel = kernel;
    this.calls = calls;
  }

  /**
   * Enters it.
   *
   * @param required whether a kernel without Landlock is refused
   * @return what confines, in words
   * @throws RefusedException SLU-SES-001 when there is no Landlock
   * @throws SyscallException when it cannot be entered
   */
  String enter(SandboxRules rules, boolean required) {
    int version = calls.landlockVersion();
    if (version == 0 && required) {
      throw new RefusedException(
          HostCode.NO_LANDLOCK,
          Errno.ENOSYS,
          "a session host cannot be confined: the kernel has no Landlock",
          "");
    }
    calls.forbidNewPrivileges();
    calls.dropCapabilities();
    if (version > 0) {
      confineFiles(rules.files(), version);
    }
    calls.filterCalls(rules.filter());
    return version > 0 ? "landlock " + version + ", seccomp" : "seccomp";
  }

  private void confineFiles(Map<Path, Long> files, int version) {
    long known = Landlock.files(version);
    try (Fd ruleset =
        calls.createRuleset(version, known, Landlock.ports(version), Landlock.scopes(version))) {
      files.forEach((path, access) -> allow(ruleset, path, access & known));
      calls.restrictSelf(ruleset);
    }
  }

  /** What is not there is not allowed either. */
  private void allow(Fd ruleset, Path path, long access) {
    if (!Files.exists(path)) {
      return;
    }
    try (Fd place = kernel.open(path, PATH_ONLY)) {
      calls.allowBeneath(
          ruleset, place, Files.isDirectory(path) ? access : access & Landlock.OF_A_FILE);
    }
  }
}
