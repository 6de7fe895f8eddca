package io.sluice.abi.sandbox;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The seam to the operating system for a process that restricts itself. Landlock and capabilities
 * are the calling thread's: they hold for the whole process once that thread has become another
 * program by {@link #exec}. All failures are {@link SyscallException}.
 */
public interface SandboxKernel {
  /**
   * {@code setsid()}: the process leads a session and a group of its own, in which its children
   * are. Where the kernel groups processes by session, the processor's time is shared with others
   * by session, whatever number of threads each has.
   */
  void leadGroup();

  /**
   * {@code kill(-group, SIGKILL)}: ends all processes of a group, if there are any.
   *
   * @param leader process id of the group's leader; 0 for the caller's own group
   */
  void killGroup(long leader);

  /**
   * {@code setrlimit(RLIMIT_DATA)}: most private memory of the process, and of each that it starts;
   * what is beyond is not given.
   */
  void limitMemory(long bytes);

  /**
   * {@code setrlimit(RLIMIT_NOFILE)}: the process, and each that it starts, may have half as many
   * descriptors as it may have now. It is also the most that its user's processes may have sent and
   * nobody has received yet when one of them sends more: the rest is for those without this limit
   * (unix(7), ETOOMANYREFS).
   */
  void halveOpenFiles();

  /**
   * {@code dup2(fd, STDOUT_FILENO)}: what the process and its libraries write to their standard
   * output goes there from now on.
   */
  void becomeOutput(Fd fd);

  /** {@code prctl(PR_SET_NO_NEW_PRIVS)}: no program that is executed gains privileges. */
  void forbidNewPrivileges();

  /** {@code capset}: the calling thread has none any more. */
  void dropCapabilities();

  /** The version of Landlock, {@code LANDLOCK_CREATE_RULESET_VERSION}; 0 when there is none. */
  int landlockVersion();

  /**
   * {@code landlock_create_ruleset}: denies what is named here and no rule allows.
   *
   * @param version of Landlock, at least 1, which knows all that is named
   * @param files {@code FS_} bits of {@link Landlock}
   * @param ports {@code NET_} bits
   * @param scopes {@code SCOPE_} bits
   */
  Fd createRuleset(int version, long files, long ports, long scopes);

  /**
   * {@code landlock_add_rule}: allows accesses to a file, or to all below a directory.
   *
   * @param files {@code FS_} bits of {@link Landlock}
   */
  void allowBeneath(Fd ruleset, Fd path, long files);

  /** {@code landlock_restrict_self}: the ruleset holds for the calling thread from now on. */
  void restrictSelf(Fd ruleset);

  /** {@code seccomp(SECCOMP_SET_MODE_FILTER)} for all threads of the process. */
  void filterCalls(List<FilterStep> filter);

  /**
   * Becomes another program, which has of the descriptors from 3 on these alone. Returns only when
   * that fails.
   */
  void exec(Path program, List<String> arguments, Map<String, String> environment, List<Fd> kept);
}
