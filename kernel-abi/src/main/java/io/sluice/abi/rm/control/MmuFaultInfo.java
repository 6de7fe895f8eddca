package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS}: block of GET_MMU_FAULT_INFO.
 *
 * <p>104 bytes. Source: ctrl906f.h.
 */
public final class MmuFaultInfo {
  private static final Struct S = Struct.aligned("NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS");
  static final U32 HIGH = S.u32("addrHi", "out: upper half of the address");
  static final U32 LOW = S.u32("addrLo", "out: lower half");
  public static final StructLayout LAYOUT =
      S.unused32("faultType", "out: number")
          .unusedBytes("faultString", 32, "out: NUL-terminated")
          .unused64s("shaderProgramVA", 7, "out: of shaders")
          .layout();

  private MmuFaultInfo() {}

  /** The address of the fault, its page. */
  public static long address(MemorySegment segment) {
    return HIGH.get(segment) << Integer.SIZE | LOW.get(segment);
  }

  /** Sets {@link #address}. */
  public static void address(MemorySegment segment, long value) {
    HIGH.set(segment, value >>> Integer.SIZE);
    LOW.setBits(segment, (int) value);
  }
}
