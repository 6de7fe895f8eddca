package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS}: block of GET_MMU_FAULT_INFO.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  addrHi                    out: address of the fault, its page
 * 0x04      4  addrLo                    out
 * 0x08      4  faultType                 out
 * 0x0c     32  faultString               out: the type in words
 * 0x30     56  shaderProgramVA[7]        out: programs that were running
 * </pre>
 *
 * <p>104 bytes. Source: ctrl906f.h.
 */
public final class MmuFaultInfo {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("addrHi"),
              Layouts.U32.withName("addrLo"),
              Layouts.U32.withName("faultType"),
              MemoryLayout.sequenceLayout(32, Layouts.U8).withName("faultString"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              MemoryLayout.sequenceLayout(7, Layouts.U64).withName("shaderProgramVA"))
          .withName("NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HIGH = LAYOUT.varHandle(PathElement.groupElement("addrHi"));

  private static final VarHandle LOW = LAYOUT.varHandle(PathElement.groupElement("addrLo"));

  private MmuFaultInfo() {}

  /** {@code addrHi} and {@code addrLo}, out: address of the fault, its page. */
  public static long address(MemorySegment segment) {
    return (long) (int) HIGH.get(segment, 0L) << Integer.SIZE
        | Integer.toUnsignedLong((int) LOW.get(segment, 0L));
  }

  /** Sets {@link #address}. */
  public static void address(MemorySegment segment, long value) {
    HIGH.set(segment, 0L, (int) (value >>> Integer.SIZE));
    LOW.set(segment, 0L, (int) value);
  }
}
