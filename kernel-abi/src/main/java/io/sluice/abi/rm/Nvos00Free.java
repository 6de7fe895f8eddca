package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS00_PARAMETERS}: argument of RM_FREE.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hRoot                     in: client
 * 0x04      4  hObjectParent             in: parent; may be 0
 * 0x08      4  hObjectOld                in: object; the client itself to free all of it
 * 0x0c      4  status                    out
 * </pre>
 *
 * <p>16 bytes. Source: nvos.h.
 */
public final class Nvos00Free {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hRoot"),
              Layouts.U32.withName("hObjectParent"),
              Layouts.U32.withName("hObjectOld"),
              Layouts.U32.withName("status"))
          .withName("NVOS00_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_ROOT = LAYOUT.varHandle(PathElement.groupElement("hRoot"));

  private static final VarHandle H_PARENT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectParent"));

  private static final VarHandle H_OBJECT =
      LAYOUT.varHandle(PathElement.groupElement("hObjectOld"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos00Free() {}

  /** {@code hRoot}, in: client. */
  public static int hRoot(MemorySegment segment) {
    return (int) H_ROOT.get(segment, 0L);
  }

  /** Sets {@link #hRoot}. */
  public static void hRoot(MemorySegment segment, int value) {
    H_ROOT.set(segment, 0L, value);
  }

  /** {@code hObjectParent}, in: parent; may be 0. */
  public static int hParent(MemorySegment segment) {
    return (int) H_PARENT.get(segment, 0L);
  }

  /** Sets {@link #hParent}. */
  public static void hParent(MemorySegment segment, int value) {
    H_PARENT.set(segment, 0L, value);
  }

  /** {@code hObjectOld}, in: object; the client itself to free all of it. */
  public static int hObject(MemorySegment segment) {
    return (int) H_OBJECT.get(segment, 0L);
  }

  /** Sets {@link #hObject}. */
  public static void hObject(MemorySegment segment, int value) {
    H_OBJECT.set(segment, 0L, value);
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
