package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_nvos02_parameters_with_fd}: argument of RM_ALLOC_MEMORY, which makes memory of
 * what the caller has mapped.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hRoot                     in: client
 * 0x04      4  hObjectParent             in: device
 * 0x08      4  hObjectNew                in: handle, the caller's choice
 * 0x0c      4  hClass                    in: class number
 * 0x10      4  flags                     in
 * 0x18      8  pMemory                   in: address, a multiple of 4096
 * 0x20      8  limit                     in: bytes minus 1
 * 0x28      4  status                    out
 * 0x30      4  fd                        in: -1
 * </pre>
 *
 * <p>56 bytes. Source: nvos.h, nv-unix-nvos-params-wrappers.h.
 */
public final class Nvos02AllocMemory {
  /** {@link #flags}: the pages are not contiguous. */
  public static final int FLAGS_PHYSICALITY_NONCONTIGUOUS = 1 << 4;

  /** {@link #flags}: cached by the CPU. */
  public static final int FLAGS_COHERENCY_CACHED = 1 << 12;

  /** {@link #flags}: RM makes no kernel mapping of it. */
  public static final int FLAGS_MAPPING_NO_MAP = 1 << 30;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hRoot"),
              Layouts.U32.withName("hObjectParent"),
              Layouts.U32.withName("hObjectNew"),
              Layouts.U32.withName("hClass"),
              Layouts.U32.withName("flags"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("pMemory"),
              Layouts.U64.withName("limit"),
              Layouts.U32.withName("status"),
              MemoryLayout.paddingLayout(4).withName("pad1"),
              Layouts.U32.withName("fd"),
              MemoryLayout.paddingLayout(4).withName("pad2"))
          .withName("nv_ioctl_nvos02_parameters_with_fd");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_ROOT = LAYOUT.varHandle(PathElement.groupElement("hRoot"));

  private static final VarHandle H_PARENT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectParent"));

  private static final VarHandle H_OBJECT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectNew"));

  private static final VarHandle H_CLASS = LAYOUT.varHandle(PathElement.groupElement("hClass"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle MEMORY = LAYOUT.varHandle(PathElement.groupElement("pMemory"));

  private static final VarHandle LIMIT = LAYOUT.varHandle(PathElement.groupElement("limit"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));

  private Nvos02AllocMemory() {}

  /** {@code hRoot}, in: client. */
  public static int hRoot(MemorySegment segment) {
    return (int) H_ROOT.get(segment, 0L);
  }

  /** Sets {@link #hRoot}. */
  public static void hRoot(MemorySegment segment, int value) {
    H_ROOT.set(segment, 0L, value);
  }

  /** {@code hObjectParent}, in: device. */
  public static int hParent(MemorySegment segment) {
    return (int) H_PARENT.get(segment, 0L);
  }

  /** Sets {@link #hParent}. */
  public static void hParent(MemorySegment segment, int value) {
    H_PARENT.set(segment, 0L, value);
  }

  /** {@code hObjectNew}, in: handle, the caller's choice. */
  public static int hObject(MemorySegment segment) {
    return (int) H_OBJECT.get(segment, 0L);
  }

  /** Sets {@link #hObject}. */
  public static void hObject(MemorySegment segment, int value) {
    H_OBJECT.set(segment, 0L, value);
  }

  /** {@code hClass}, in: class number. */
  public static int hClass(MemorySegment segment) {
    return (int) H_CLASS.get(segment, 0L);
  }

  /** Sets {@link #hClass}. */
  public static void hClass(MemorySegment segment, int value) {
    H_CLASS.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code pMemory}, in: address, a multiple of 4096. */
  public static long memory(MemorySegment segment) {
    return (long) MEMORY.get(segment, 0L);
  }

  /** Sets {@link #memory}. */
  public static void memory(MemorySegment segment, long value) {
    MEMORY.set(segment, 0L, value);
  }

  /** {@code limit}, in: bytes minus 1. */
  public static long limit(MemorySegment segment) {
    return (long) LIMIT.get(segment, 0L);
  }

  /** Sets {@link #limit}. */
  public static void limit(MemorySegment segment, long value) {
    LIMIT.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }

  /** {@code fd}, in: -1. */
  public static int fd(MemorySegment segment) {
    return (int) FD.get(segment, 0L);
  }

  /** Sets {@link #fd}. */
  public static void fd(MemorySegment segment, int value) {
    FD.set(segment, 0L, value);
  }
}
