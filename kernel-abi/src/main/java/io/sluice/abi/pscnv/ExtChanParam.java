package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_chan_param}: argument of CHAN_PARAM.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  param               in: WEIGHT, PENDING, EVENTFD, OPEN_WEIGHT, SWEEP
 *  0x08      8  value               in
 * </pre>
 *
 * <p>16 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanParam {
  /** Share of its open's GPU time relative to the open's other channels, 1 to 1024. */
  public static final int WEIGHT = 1;

  /**
   * The bit that an interrupt sets before it signals {@link #EVENTFD}: region &lt;&lt; 32 | number
   * of the bit in the region's 32-bit words. 0 for none, which takes the eventfd away, too.
   */
  public static final int PENDING = 2;

  /**
   * The eventfd that an interrupt signals when its bit was clear, instead of being latched; stays
   * the caller's. {@link #NO_EVENTFD} for none.
   */
  public static final int EVENTFD = 3;

  /** Share of GPU time of the whole open relative to other opens, 1 to 1024; cid is 0. */
  public static final int OPEN_WEIGHT = 4;

  /**
   * Of the whole open, with channel 0: whether memory that was touched without having been
   * allocated is taken back; 1 unless set.
   */
  public static final int SWEEP = 5;

  /** Value of {@link #EVENTFD}: interrupts are latched. */
  public static final long NO_EVENTFD = ~0L;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("param"),
              Layouts.U64.withName("value"))
          .withName("sluice_ext_chan_param");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle PARAM = LAYOUT.varHandle(PathElement.groupElement("param"));
  private static final VarHandle VALUE = LAYOUT.varHandle(PathElement.groupElement("value"));

  private ExtChanParam() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code param}, in: WEIGHT. */
  public static int param(MemorySegment segment) {
    return (int) PARAM.get(segment, 0L);
  }

  /** Sets {@link #param}. */
  public static void param(MemorySegment segment, int value) {
    PARAM.set(segment, 0L, value);
  }

  /** {@code value}, in. */
  public static long value(MemorySegment segment) {
    return (long) VALUE.get(segment, 0L);
  }

  /** Sets {@link #value}. */
  public static void value(MemorySegment segment, long value) {
    VALUE.set(segment, 0L, value);
  }
}
