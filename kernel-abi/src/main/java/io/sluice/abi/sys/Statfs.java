package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct statfs}: what fstatfs tells.
 *
 * <p>120 bytes. Source: sys/statfs.h, x86-64. What is behind these two is not read.
 */
final class Statfs {
  private static final Struct S = Struct.aligned("statfs");
  static final U64 F_TYPE = S.u64("f_type", "magic number of the file system");
  static final U64 F_BSIZE = S.u64("f_bsize", "block size; of hugetlbfs its pages'");
  static final StructLayout LAYOUT = S.pad(104).layout();

  private Statfs() {}
}
