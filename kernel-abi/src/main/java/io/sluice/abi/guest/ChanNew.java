package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of CHAN_NEW. {@code struct sluice_chan_new}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      vid              in
 *   0x04  u32      cid              out: also the index of its page in BAR 4
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class ChanNew {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("vid"), ValueLayout.JAVA_INT.withName("cid"))
          .withName("sluice_chan_new");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(groupElement("vid"));
  private static final VarHandle CID = LAYOUT.varHandle(groupElement("cid"));

  private ChanNew() {}

  /** {@code vid}: In. */
  public static int vid(MemorySegment segment, long offset) {
    return (int) VID.get(segment, offset);
  }

  /** Sets {@code vid}. */
  public static void vid(MemorySegment segment, long offset, int value) {
    VID.set(segment, offset, value);
  }

  /** {@code cid}: Out: also the index of its page in BAR 4. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@code cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }
}
