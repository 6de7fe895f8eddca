package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_chan_query}: argument of CHAN_QUERY.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  state               out: SLUICE_CHANNEL_*
 *  0x08      4  reason              out: SLUICE_ERROR_*
 *  0x0c      4  info                out: detail of the reason
 *  0x10      4  flags               out: DRAINED, WAITING
 *  0x14      4  gp_get              out: next entry to take
 *  0x18      4  gp_put              out: first entry not to take
 *  0x1c      4  interrupts          out: interrupts asked for, those that count as one included
 *  0x20      8  fault_address       out
 *  0x28      8  entries             out: ring entries taken
 *  0x30      8  busy_ns             out: GPU time used
 *  0x38      8  running_ns          out: how long the command at work has been running; 0 when none is
 *  0x40      8  instructions        out: warp instructions of grids that have ended
 *  0x48      8  interpreted         out: those of them that were not compiled
 * </pre>
 *
 * <p>80 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanQuery {
  /** Everything submitted has run. */
  public static final int DRAINED = 1;

  /** Blocked on a semaphore acquire. */
  public static final int WAITING = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("state"),
              Layouts.U32.withName("reason"),
              Layouts.U32.withName("info"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("gp_get"),
              Layouts.U32.withName("gp_put"),
              Layouts.U32.withName("interrupts"),
              Layouts.U64.withName("fault_address"),
              Layouts.U64.withName("entries"),
              Layouts.U64.withName("busy_ns"),
              Layouts.U64.withName("running_ns"),
              Layouts.U64.withName("instructions"),
              Layouts.U64.withName("interpreted"))
          .withName("sluice_ext_chan_query");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle STATE = LAYOUT.varHandle(PathElement.groupElement("state"));
  private static final VarHandle REASON = LAYOUT.varHandle(PathElement.groupElement("reason"));
  private static final VarHandle INFO = LAYOUT.varHandle(PathElement.groupElement("info"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle GP_GET = LAYOUT.varHandle(PathElement.groupElement("gp_get"));
  private static final VarHandle GP_PUT = LAYOUT.varHandle(PathElement.groupElement("gp_put"));
  private static final VarHandle INTERRUPTS =
      LAYOUT.varHandle(PathElement.groupElement("interrupts"));
  private static final VarHandle FAULT_ADDRESS =
      LAYOUT.varHandle(PathElement.groupElement("fault_address"));
  private static final VarHandle ENTRIES = LAYOUT.varHandle(PathElement.groupElement("entries"));
  private static final VarHandle BUSY_NS = LAYOUT.varHandle(PathElement.groupElement("busy_ns"));
  private static final VarHandle RUNNING_NS =
      LAYOUT.varHandle(PathElement.groupElement("running_ns"));
  private static final VarHandle INSTRUCTIONS =
      LAYOUT.varHandle(PathElement.groupElement("instructions"));
  private static final VarHandle INTERPRETED =
      LAYOUT.varHandle(PathElement.groupElement("interpreted"));

  private ExtChanQuery() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code state}, out: SLUICE_CHANNEL_*. */
  public static int state(MemorySegment segment) {
    return (int) STATE.get(segment, 0L);
  }

  /** Sets {@link #state}. */
  public static void state(MemorySegment segment, int value) {
    STATE.set(segment, 0L, value);
  }

  /** {@code reason}, out: SLUICE_ERROR_*. */
  public static int reason(MemorySegment segment) {
    return (int) REASON.get(segment, 0L);
  }

  /** Sets {@link #reason}. */
  public static void reason(MemorySegment segment, int value) {
    REASON.set(segment, 0L, value);
  }

  /** {@code info}, out: detail of the reason. */
  public static int info(MemorySegment segment) {
    return (int) INFO.get(segment, 0L);
  }

  /** Sets {@link #info}. */
  public static void info(MemorySegment segment, int value) {
    INFO.set(segment, 0L, value);
  }

  /** {@code flags}, out: DRAINED, WAITING. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code gp_get}, out: next entry to take. */
  public static int gpGet(MemorySegment segment) {
    return (int) GP_GET.get(segment, 0L);
  }

  /** Sets {@link #gpGet}. */
  public static void gpGet(MemorySegment segment, int value) {
    GP_GET.set(segment, 0L, value);
  }

  /** {@code gp_put}, out: first entry not to take. */
  public static int gpPut(MemorySegment segment) {
    return (int) GP_PUT.get(segment, 0L);
  }

  /** Sets {@link #gpPut}. */
  public static void gpPut(MemorySegment segment, int value) {
    GP_PUT.set(segment, 0L, value);
  }

  /** {@code interrupts}, out: interrupts asked for, those that count as one included. */
  public static int interrupts(MemorySegment segment) {
    return (int) INTERRUPTS.get(segment, 0L);
  }

  /** Sets {@link #interrupts}. */
  public static void interrupts(MemorySegment segment, int value) {
    INTERRUPTS.set(segment, 0L, value);
  }

  /** {@code fault_address}, out. */
  public static long faultAddress(MemorySegment segment) {
    return (long) FAULT_ADDRESS.get(segment, 0L);
  }

  /** Sets {@link #faultAddress}. */
  public static void faultAddress(MemorySegment segment, long value) {
    FAULT_ADDRESS.set(segment, 0L, value);
  }

  /** {@code entries}, out: ring entries taken. */
  public static long entries(MemorySegment segment) {
    return (long) ENTRIES.get(segment, 0L);
  }

  /** Sets {@link #entries}. */
  public static void entries(MemorySegment segment, long value) {
    ENTRIES.set(segment, 0L, value);
  }

  /** {@code busy_ns}, out: GPU time used. */
  public static long busyNs(MemorySegment segment) {
    return (long) BUSY_NS.get(segment, 0L);
  }

  /** Sets {@link #busyNs}. */
  public static void busyNs(MemorySegment segment, long value) {
    BUSY_NS.set(segment, 0L, value);
  }

  /** {@code running_ns}, out: how long the command at work has been running; 0 when none is. */
  public static long runningNs(MemorySegment segment) {
    return (long) RUNNING_NS.get(segment, 0L);
  }

  /** Sets {@link #runningNs}. */
  public static void runningNs(MemorySegment segment, long value) {
    RUNNING_NS.set(segment, 0L, value);
  }

  /** {@code instructions}, out: warp instructions of grids that have ended. */
  public static long instructions(MemorySegment segment) {
    return (long) INSTRUCTIONS.get(segment, 0L);
  }

  /** Sets {@link #instructions}. */
  public static void instructions(MemorySegment segment, long value) {
    INSTRUCTIONS.set(segment, 0L, value);
  }

  /** {@code interpreted}, out: those of {@link #instructions} that were not compiled. */
  public static long interpreted(MemorySegment segment) {
    return (long) INTERPRETED.get(segment, 0L);
  }

  /** Sets {@link #interpreted}. */
  public static void interpreted(MemorySegment segment, long value) {
    INTERPRETED.set(segment, 0L, value);
  }
}
