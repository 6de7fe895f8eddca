package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_mig_data}: body of MIG_DATA_READ and MIG_DATA_WRITE; the bytes follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               most bytes of the reply
 *  0x04      4  size                bytes
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_MIG_DATA_READ".
 */
public final class MigData {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"), Layouts.WIRE_U32.withName("size"))
          .withName("vfio_user_mig_data");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private MigData() {}

  /** {@code argsz}: most bytes of the reply. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code size}: bytes. */
  public static int size(MemorySegment segment, long offset) {
    return (int) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long offset, int value) {
    SIZE_FIELD.set(segment, offset, value);
  }
}
