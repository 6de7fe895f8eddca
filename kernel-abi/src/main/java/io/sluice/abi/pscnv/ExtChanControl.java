package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_chan_control}: argument of CHAN_CONTROL.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  op                  in: SUSPEND to ATTACH
 *  0x08      4  reason              in, of KILL: SLUICE_ERROR_*
 *  0x0c      4  info                in, of KILL: detail of the reason
 * </pre>
 *
 * <p>16 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanControl {
  /** Takes no entries any more; the control page stays live. */
  public static final int SUSPEND = 1;

  /** Undoes SUSPEND. */
  public static final int RESUME = 2;

  /** Ends the channel. */
  public static final int KILL = 3;

  /** The GPU looks at the control page no more. */
  public static final int DETACH = 4;

  /** Undoes DETACH. */
  public static final int ATTACH = 5;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("op"),
              Layouts.U32.withName("reason"),
              Layouts.U32.withName("info"))
          .withName("sluice_ext_chan_control");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle OP = LAYOUT.varHandle(PathElement.groupElement("op"));
  private static final VarHandle REASON = LAYOUT.varHandle(PathElement.groupElement("reason"));
  private static final VarHandle INFO = LAYOUT.varHandle(PathElement.groupElement("info"));

  private ExtChanControl() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code op}, in: SUSPEND to ATTACH. */
  public static int op(MemorySegment segment) {
    return (int) OP.get(segment, 0L);
  }

  /** Sets {@link #op}. */
  public static void op(MemorySegment segment, int value) {
    OP.set(segment, 0L, value);
  }

  /** {@code reason}, in, of KILL: SLUICE_ERROR_*. */
  public static int reason(MemorySegment segment) {
    return (int) REASON.get(segment, 0L);
  }

  /** Sets {@link #reason}. */
  public static void reason(MemorySegment segment, int value) {
    REASON.set(segment, 0L, value);
  }

  /** {@code info}, in, of KILL: detail of the reason. */
  public static int info(MemorySegment segment) {
    return (int) INFO.get(segment, 0L);
  }

  /** Sets {@link #info}. */
  public static void info(MemorySegment segment, int value) {
    INFO.set(segment, 0L, value);
  }
}
