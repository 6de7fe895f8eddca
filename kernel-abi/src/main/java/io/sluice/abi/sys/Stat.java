package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct stat}: what fstat tells.
 *
 * <p>144 bytes. Source: sys/stat.h, x86-64. The ids, the times and the reserved words are not read.
 */
final class Stat {
  private static final Struct S = Struct.aligned("stat");
  static final U64 ST_DEV = S.u64("st_dev", "device");
  static final U64 ST_INO = S.u64("st_ino", "inode");
  static final U32 ST_MODE = S.unused64("st_nlink", "links").u32("st_mode", "type and permissions");
  static final U64 ST_SIZE = S.pad(12).pad(8).u64("st_size", "bytes");
  static final U64 ST_BLOCKS =
      S.unused64("st_blksize", "preferred block").u64("st_blocks", "allocated units of 512 bytes");
  static final StructLayout LAYOUT = S.pad(72).layout();

  private Stat() {}
}
