package io.sluice.abi.sandbox;

import io.sluice.abi.Errno;
import java.util.ArrayList;
import java.util.List;

/**
 * The maker of a seccomp filter: what is not refused is allowed. A call of another instruction set
 * than x86-64 ends the process, since its numbers mean other calls; one of x32 does not exist.
 *
 * <p>The kernel works out once which numbers are allowed whatever their arguments are, and does not
 * run the filter for those: its length costs nothing there.
 */
public final class CallFilter {
  // linux/bpf_common.h, linux/filter.h: operations that are used here.
  static final int LD_W_ABS = 0x20;
  static final int JMP_JEQ_K = 0x15;
  static final int JMP_JGE_K = 0x35;
  static final int JMP_JSET_K = 0x45;
  static final int RET_K = 0x06;

  // linux/seccomp.h: struct seccomp_data, and what a filter returns.
  static final int DATA_NR = 0;
  static final int DATA_ARCH = 4;
  static final int DATA_ARGS = 16;
  static final int ARG_BYTES = 8;
  static final int RET_KILL_PROCESS = 0x80000000;
  static final int RET_ERRNO = 0x00050000;
  static final int RET_ALLOW = 0x7fff0000;

  /** {@code AUDIT_ARCH_X86_64}. */
  static final int ARCH_X86_64 = 0xc000003e;

  /** {@code __X32_SYSCALL_BIT}. */
  static final int X32_BIT = 0x40000000;

  private final List<FilterStep> steps = new ArrayList<>();

  /** A filter that refuses nothing of x86-64 yet. */
  public CallFilter() {
    load(DATA_ARCH);
    steps.add(new FilterStep(JMP_JEQ_K, 1, 0, ARCH_X86_64));
    answer(RET_KILL_PROCESS);
    load(DATA_NR);
    steps.add(new FilterStep(JMP_JGE_K, 0, 1, X32_BIT));
    answer(RET_ERRNO | Errno.ENOSYS.number());
  }

  /** Refuses a call whatever its arguments are. */
  public CallFilter refuse(SystemCall call, Errno errno) {
    steps.add(new FilterStep(JMP_JEQ_K, 0, 1, call.number()));
    answer(RET_ERRNO | errno.number());
    return this;
  }

  /**
   * Refuses a call with one of these bits in the low word of its first argument.
   *
   * @param bits at least one
   */
  public CallFilter refuseBits(SystemCall call, int bits, Errno errno) {
    return refuseFirst(call, new FilterStep(JMP_JSET_K, 0, 1, bits), errno);
  }

  /** Refuses a call unless the low word of its first argument is this. */
  public CallFilter refuseOthers(SystemCall call, int allowed, Errno errno) {
    return refuseFirst(call, new FilterStep(JMP_JEQ_K, 1, 0, allowed), errno);
  }

  /**
   * Refuses a call with one of these as the low word of its second argument.
   *
   * @param refused at least one
   */
  public CallFilter refuseSecond(SystemCall call, List<Integer> refused, Errno errno) {
    int most = refused.size();
    steps.add(new FilterStep(JMP_JEQ_K, 0, most + 3, call.number()));
    load(DATA_ARGS + ARG_BYTES);
    for (int i = 0; i < most; i++) {
      steps.add(new FilterStep(JMP_JEQ_K, most - i, 0, refused.get(i)));
    }
    answer(RET_ALLOW);
    answer(RET_ERRNO | errno.number());
    return this;
  }

  /** Refuses a call unless the low words of its first two arguments are these. */
  public CallFilter refuseOthers(SystemCall call, int first, int second, Errno errno) {
    steps.add(new FilterStep(JMP_JEQ_K, 0, 6, call.number()));
    load(DATA_ARGS);
    steps.add(new FilterStep(JMP_JEQ_K, 0, 2, first));
    load(DATA_ARGS + ARG_BYTES);
    steps.add(new FilterStep(JMP_JEQ_K, 1, 0, second));
    answer(RET_ERRNO | errno.number());
    answer(RET_ALLOW);
    return this;
  }

  /** The filter. */
  public List<FilterStep> build() {
    List<FilterStep> whole = new ArrayList<>(steps);
    whole.add(new FilterStep(RET_K, 0, 0, RET_ALLOW));
    return List.copyOf(whole);
  }

  private CallFilter refuseFirst(SystemCall call, FilterStep test, Errno errno) {
    steps.add(new FilterStep(JMP_JEQ_K, 0, 4, call.number()));
    load(DATA_ARGS);
    steps.add(test);
    answer(RET_ERRNO | errno.number());
    answer(RET_ALLOW);
    return this;
  }

  private void load(int offset) {
    steps.add(new FilterStep(LD_W_ABS, 0, 0, offset));
  }

  private void answer(int value) {
    steps.add(new FilterStep(RET_K, 0, 0, value));
  }
}
