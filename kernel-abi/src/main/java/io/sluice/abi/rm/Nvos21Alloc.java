package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS21_PARAMETERS}: argument of RM_ALLOC.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hRoot                     in: client; 0 when making one
 * 0x04      4  hObjectParent             in: parent; 0 when making a client
 * 0x08      4  hObjectNew                in: handle wanted, 0 leaves it to the driver; out: the handle
 * 0x0c      4  hClass                    in: class number
 * 0x10      8  pAllocParms               in: address of the class's block, or 0
 * 0x18      4  paramsSize                in: bytes of it
 * 0x1c      4  status                    out
 * </pre>
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos21Alloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hRoot"),
              Layouts.U32.withName("hObjectParent"),
              Layouts.U32.withName("hObjectNew"),
              Layouts.U32.withName("hClass"),
              Layouts.U64.withName("pAllocParms"),
              Layouts.U32.withName("paramsSize"),
              Layouts.U32.withName("status"))
          .withName("NVOS21_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_ROOT = LAYOUT.varHandle(PathElement.groupElement("hRoot"));

  private static final VarHandle H_PARENT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectParent"));

  private static final VarHandle H_OBJECT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectNew"));

  private static final VarHandle H_CLASS = LAYOUT.varHandle(PathElement.groupElement("hClass"));

  private static final VarHandle PARAMS = LAYOUT.varHandle(PathElement.groupElement("pAllocParms"));

  private static final VarHandle PARAMS_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("paramsSize"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos21Alloc() {}

  /** {@code hRoot}, in: client; 0 when making one. */
  public static int hRoot(MemorySegment segment) {
    return (int) H_ROOT.get(segment, 0L);
  }

  /** Sets {@link #hRoot}. */
  public static void hRoot(MemorySegment segment, int value) {
    H_ROOT.set(segment, 0L, value);
  }

  /** {@code hObjectParent}, in: parent; 0 when making a client. */
  public static int hParent(MemorySegment segment) {
    return (int) H_PARENT.get(segment, 0L);
  }

  /** Sets {@link #hParent}. */
  public static void hParent(MemorySegment segment, int value) {
    H_PARENT.set(segment, 0L, value);
  }

  /** {@code hObjectNew}, in: handle wanted, 0 leaves it to the driver; out: the handle. */
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

  /** {@code pAllocParms}, in: address of the class's block, or 0. */
  public static long params(MemorySegment segment) {
    return (long) PARAMS.get(segment, 0L);
  }

  /** Sets {@link #params}. */
  public static void params(MemorySegment segment, long value) {
    PARAMS.set(segment, 0L, value);
  }

  /** {@code paramsSize}, in: bytes of it. */
  public static int paramsSize(MemorySegment segment) {
    return (int) PARAMS_SIZE.get(segment, 0L);
  }

  /** Sets {@link #paramsSize}. */
  public static void paramsSize(MemorySegment segment, int value) {
    PARAMS_SIZE.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }
}
