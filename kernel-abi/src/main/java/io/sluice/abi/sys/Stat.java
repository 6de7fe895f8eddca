package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct stat}: what fstat tells.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  st_dev              device
 *  0x08      8  st_ino              inode
 *  0x10      8  st_nlink            links
 *  0x18      4  st_mode             type and permissions
 *  0x1c     12  pad_ids[3]
 *  0x28      8  pad_rdev
 *  0x30      8  st_size             bytes
 *  0x38      8  st_blksize          preferred block
 *  0x40      8  st_blocks           allocated units of 512 bytes
 *  0x48     72  pad_times[9]
 * </pre>
 *
 * <p>144 bytes. Source: sys/stat.h, x86-64. The ids, the times and the reserved words are not read.
 */
final class Stat {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("st_dev"),
              Layouts.U64.withName("st_ino"),
              Layouts.U64.withName("st_nlink"),
              Layouts.U32.withName("st_mode"),
              MemoryLayout.sequenceLayout(3, Layouts.U32).withName("pad_ids"),
              Layouts.U64.withName("pad_rdev"),
              Layouts.U64.withName("st_size"),
              Layouts.U64.withName("st_blksize"),
              Layouts.U64.withName("st_blocks"),
              MemoryLayout.sequenceLayout(9, Layouts.U64).withName("pad_times"))
          .withName("stat");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ST_DEV = LAYOUT.varHandle(PathElement.groupElement("st_dev"));
  private static final VarHandle ST_INO = LAYOUT.varHandle(PathElement.groupElement("st_ino"));
  private static final VarHandle ST_NLINK = LAYOUT.varHandle(PathElement.groupElement("st_nlink"));
  private static final VarHandle ST_MODE = LAYOUT.varHandle(PathElement.groupElement("st_mode"));
  private static final VarHandle ST_SIZE = LAYOUT.varHandle(PathElement.groupElement("st_size"));
  private static final VarHandle ST_BLOCKS =
      LAYOUT.varHandle(PathElement.groupElement("st_blocks"));

  private Stat() {}

  /** {@code st_dev}: device. */
  static long device(MemorySegment segment) {
    return (long) ST_DEV.get(segment, 0L);
  }

  /** Sets {@link #device}. */
  static void device(MemorySegment segment, long value) {
    ST_DEV.set(segment, 0L, value);
  }

  /** {@code st_ino}: inode. */
  static long inode(MemorySegment segment) {
    return (long) ST_INO.get(segment, 0L);
  }

  /** Sets {@link #inode}. */
  static void inode(MemorySegment segment, long value) {
    ST_INO.set(segment, 0L, value);
  }

  /** {@code st_nlink}: links. */
  static long links(MemorySegment segment) {
    return (long) ST_NLINK.get(segment, 0L);
  }

  /** Sets {@link #links}. */
  static void links(MemorySegment segment, long value) {
    ST_NLINK.set(segment, 0L, value);
  }

  /** {@code st_mode}: type and permissions. */
  static int mode(MemorySegment segment) {
    return (int) ST_MODE.get(segment, 0L);
  }

  /** Sets {@link #mode}. */
  static void mode(MemorySegment segment, int value) {
    ST_MODE.set(segment, 0L, value);
  }

  /** {@code st_size}: bytes. */
  static long size(MemorySegment segment) {
    return (long) ST_SIZE.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  static void size(MemorySegment segment, long value) {
    ST_SIZE.set(segment, 0L, value);
  }

  /** {@code st_blocks}: allocated units of 512 bytes. */
  static long blocks(MemorySegment segment) {
    return (long) ST_BLOCKS.get(segment, 0L);
  }

  /** Sets {@link #blocks}. */
  static void blocks(MemorySegment segment, long value) {
    ST_BLOCKS.set(segment, 0L, value);
  }
}
