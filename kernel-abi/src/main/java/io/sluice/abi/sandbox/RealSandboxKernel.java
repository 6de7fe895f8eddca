package io.sluice.abi.sandbox;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The kernel this process runs on. Has no state of its own. */
public final class RealSandboxKernel implements SandboxKernel {
  private static final int SIGKILL = 9;
  private static final int OWN_PROCESS = 0;
  private static final int STDOUT_FILENO = 1;
  private static final int RLIMIT_DATA = 2;
  private static final int RLIMIT_NOFILE = 7;
  private static final int CREATE_RULESET_VERSION = 1;
  private static final int RULE_PATH_BENEATH = 1;
  private static final int SECCOMP_SET_MODE_FILTER = 1;
  private static final int SECCOMP_FILTER_FLAG_TSYNC = 1;
  private static final int F_SETFD = 2;
  private static final int CLOSE_RANGE_CLOEXEC = 4;
  private static final int FIRST_FD = 3;
  private static final long LAST_FD = 0xffffffffL;

  private final Kernel kernel;
  private final PrivilegeKernel privileges = new RealPrivilegeKernel();

  /**
   * @param kernel owns the descriptors that are made here
   */
  public RealSandboxKernel(Kernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public void leadGroup() {
    RawCalls.check(RawCalls.call(SystemCall.SETSID, 0, 0, 0, 0), "setsid", "");
  }

  @Override
  public void killGroup(long leader) {
    long result = RawCalls.call(SystemCall.KILL, -leader, SIGKILL, 0, 0);
    if (result != -Errno.ESRCH.number()) {
      RawCalls.check(result, "kill", "group=" + leader + ", SIGKILL");
    }
  }

  @Override
  public void limitMemory(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocateFrom(ValueLayout.JAVA_LONG, bytes, bytes);
      RawCalls.check(
          RawCalls.call(SystemCall.PRLIMIT64, OWN_PROCESS, RLIMIT_DATA, limit.address(), 0),
          "prlimit64",
          "RLIMIT_DATA, bytes=" + bytes);
    }
  }

  @Override
  public void halveOpenFiles() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2); // rlim_cur, rlim_max
      RawCalls.check(
          RawCalls.call(SystemCall.PRLIMIT64, OWN_PROCESS, RLIMIT_NOFILE, 0, limit.address()),
          "prlimit64",
          "RLIMIT_NOFILE");
      long half = Math.max(1, limit.getAtIndex(ValueLayout.JAVA_LONG, 1) >>> 1);
      limit.setAtIndex(ValueLayout.JAVA_LONG, 0, half);
      limit.setAtIndex(ValueLayout.JAVA_LONG, 1, half);
      RawCalls.check(
          RawCalls.call(SystemCall.PRLIMIT64, OWN_PROCESS, RLIMIT_NOFILE, limit.address(), 0),
          "prlimit64",
          "RLIMIT_NOFILE, n=" + half);
    }
  }

  @Override
  public void becomeOutput(Fd fd) {
    RawCalls.check(
        RawCalls.call(SystemCall.DUP2, fd.number(), STDOUT_FILENO, 0, 0), "dup2", fd.toString());
  }

  @Override
  public void forbidNewPrivileges() {
    privileges.forbidNewPrivileges();
  }

  @Override
  public void dropCapabilities() {
    privileges.setCapabilities(0, 0);
  }

  @Override
  public int landlockVersion() {
    long version =
        RawCalls.call(SystemCall.LANDLOCK_CREATE_RULESET, 0, 0, CREATE_RULESET_VERSION, 0);
    return (int) Math.max(0, version); // ENOSYS: not built in; EOPNOTSUPP: switched off
  }

  @Override
  public Fd createRuleset(int version, long files, long ports, long scopes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ruleset = arena.allocate(LandlockRulesetAttr.LAYOUT);
      LandlockRulesetAttr.HANDLED_ACCESS_FS.set(ruleset, files);
      LandlockRulesetAttr.HANDLED_ACCESS_NET.set(ruleset, ports);
      LandlockRulesetAttr.SCOPED.set(ruleset, scopes);
      long number =
          RawCalls.call(
              SystemCall.LANDLOCK_CREATE_RULESET,
              ruleset.address(),
              LandlockRulesetAttr.bytes(version),
              0,
              0);
      RawCalls.check(number, "landlock_create_ruleset", "version=" + version);
      return kernel.adopt((int) number);
    }
  }

  @Override
  public void allowBeneath(Fd ruleset, Fd path, long files) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rule = arena.allocate(LandlockPathBeneathAttr.LAYOUT);
      LandlockPathBeneathAttr.ALLOWED_ACCESS.set(rule, files);
      LandlockPathBeneathAttr.PARENT_FD.set(rule, path.number());
      RawCalls.check(
          RawCalls.call(
              SystemCall.LANDLOCK_ADD_RULE, ruleset.number(), RULE_PATH_BENEATH, rule.address(), 0),
          "landlock_add_rule",
          path + ", access=0x" + Long.toHexString(files));
    }
  }

  @Override
  public void restrictSelf(Fd ruleset) {
    RawCalls.check(
        RawCalls.call(SystemCall.LANDLOCK_RESTRICT_SELF, ruleset.number(), 0, 0, 0),
        "landlock_restrict_self",
        ruleset.toString());
  }

  @Override
  public void filterCalls(List<FilterStep> filter) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment steps = arena.allocate(SockFilter.LAYOUT, filter.size());
      for (int i = 0; i < filter.size(); i++) {
        FilterStep step = filter.get(i);
        long base = i * SockFilter.LAYOUT.byteSize();
        SockFilter.CODE.set(steps, base, step.code());
        SockFilter.JT.set(steps, base, step.whenTrue());
        SockFilter.JF.set(steps, base, step.whenFalse());
        SockFilter.K.setBits(steps, base, step.operand());
      }
      MemorySegment program = arena.allocate(SockFprog.LAYOUT);
      SockFprog.LEN.set(program, filter.size());
      SockFprog.FILTER.set(program, steps.address());
      long result =
          RawCalls.call(
              SystemCall.SECCOMP,
              SECCOMP_SET_MODE_FILTER,
              SECCOMP_FILTER_FLAG_TSYNC,
              program.address(),
              0);
      RawCalls.check(result, "seccomp", "steps=" + filter.size());
      if (result > 0) { // a thread that has a filter of its own
        throw new SyscallException(
            "seccomp", "cannot be of all threads, tid=" + result, Errno.EBUSY.number());
      }
    }
  }

  @Override
  public void exec(
      Path program, List<String> arguments, Map<String, String> environment, List<Fd> kept) {
    RawCalls.check(
        RawCalls.call(SystemCall.CLOSE_RANGE, FIRST_FD, LAST_FD, CLOSE_RANGE_CLOEXEC, 0),
        "close_range",
        "CLOSE_RANGE_CLOEXEC");
    for (Fd fd : kept) {
      RawCalls.check(
          RawCalls.call(SystemCall.FCNTL, fd.number(), F_SETFD, 0, 0), "fcntl", fd + ", F_SETFD");
    }
    RawCalls.execute(
        bytes(program.toString()),
        arguments.stream().map(RealSandboxKernel::bytes).toList(),
        environment.entrySet().stream().map(e -> bytes(e.getKey() + "=" + e.getValue())).toList());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
