package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of MEM_FREE, VSPACE_NEW, VSPACE_FREE and CHAN_FREE. {@code struct sluice_handle},
 * sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      handle           memory handle, address-space id or channel id
 *   0x04  u32      pad
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class HandleArgs {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("handle"), ValueLayout.JAVA_INT.withName("pad"))
          .withName("sluice_handle");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));

  private HandleArgs() {}

  /** {@code handle}: Memory handle, address-space id or channel id. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }
}
