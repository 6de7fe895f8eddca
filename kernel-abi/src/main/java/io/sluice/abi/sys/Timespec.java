package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct timespec}: a time in seconds and nanoseconds.
 *
 * <p>16 bytes. Source: time.h, x86-64.
 */
final class Timespec {
  private static final Struct S = Struct.aligned("timespec");
  static final U64 TV_SEC = S.u64("tv_sec", "seconds");
  static final U64 TV_NSEC = S.u64("tv_nsec", "nanoseconds, 0 to 999999999");
  static final StructLayout LAYOUT = S.layout();

  private Timespec() {}
}
