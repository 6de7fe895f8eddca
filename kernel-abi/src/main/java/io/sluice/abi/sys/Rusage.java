package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct rusage}: what a thread has used, as far as it is asked for here.
 *
 * <p>144 bytes. Source: sys/resource.h, x86-64.
 */
final class Rusage {
  private static final Struct S = Struct.aligned("rusage");
  static final U64 RU_MINFLT =
      S.unusedBytes("ru_utime", 16, "time in its program")
          .unusedBytes("ru_stime", 16, "time in the kernel")
          .unused64("ru_maxrss", "most memory it had")
          .unused64("ru_ixrss", "none")
          .unused64("ru_idrss", "none")
          .unused64("ru_isrss", "none")
          .u64("ru_minflt", "page faults that read from no device");
  static final U64 RU_MAJFLT = S.u64("ru_majflt", "page faults that did");
  static final U64 RU_NVCSW =
      S.unused64("ru_nswap", "times it was swapped out")
          .unused64("ru_inblock", "reads from devices")
          .unused64("ru_oublock", "writes to devices")
          .unused64("ru_msgsnd", "messages sent")
          .unused64("ru_msgrcv", "messages received")
          .unused64("ru_nsignals", "signals received")
          .u64("ru_nvcsw", "times it gave its processor up by itself");
  static final U64 RU_NIVCSW = S.u64("ru_nivcsw", "times the processor was taken from it");
  static final StructLayout LAYOUT = S.layout();

  private Rusage() {}
}
