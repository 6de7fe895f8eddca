package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_chan_param}: argument of CHAN_PARAM.
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

  private static final Struct S = Struct.aligned("sluice_ext_chan_param");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 PARAM =
      S.u32("param", "in: WEIGHT, PENDING, EVENTFD, OPEN_WEIGHT, SWEEP");
  public static final U64 VALUE = S.u64("value", "in");
  public static final StructLayout LAYOUT = S.layout();

  private ExtChanParam() {}
}
