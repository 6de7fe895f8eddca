package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_chan_state}: argument of CHAN_STATE.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  op                  in: SAVE or RESTORE
 *  0x08      4  size                in of RESTORE, out of SAVE: bytes, at most MAX_STATE_BYTES
 *  0x0c      4  pad
 *  0x10  12288  state[12288]        the state
 * </pre>
 *
 * <p>12304 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanState {
  /** Reads the state. */
  public static final int SAVE = 1;

  /** Writes the state. */
  public static final int RESTORE = 2;

  /** Largest state. */
  public static final int MAX_STATE_BYTES = 0x3000;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("op"),
              Layouts.U32.withName("size"),
              Layouts.U32.withName("pad"),
              MemoryLayout.sequenceLayout(12288, Layouts.U8).withName("state"))
          .withName("sluice_ext_chan_state");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle OP = LAYOUT.varHandle(PathElement.groupElement("op"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final long STATE_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("state"));

  private ExtChanState() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code op}, in: SAVE or RESTORE. */
  public static int op(MemorySegment segment) {
    return (int) OP.get(segment, 0L);
  }

  /** Sets {@link #op}. */
  public static void op(MemorySegment segment, int value) {
    OP.set(segment, 0L, value);
  }

  /** {@code size}, in of RESTORE, out of SAVE: bytes, at most MAX_STATE_BYTES. */
  public static long size(MemorySegment segment) {
    return Integer.toUnsignedLong((int) SIZE_FIELD.get(segment, 0L));
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, (int) value);
  }

  /** {@code state}: the state. */
  public static MemorySegment state(MemorySegment segment) {
    return segment.asSlice(STATE_OFFSET, 12288);
  }
}
