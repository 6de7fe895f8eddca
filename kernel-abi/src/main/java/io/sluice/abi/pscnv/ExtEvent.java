package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_event}: a record of EVENT_READ.
 *
 * <p>32 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtEvent {
  /** The channel asked for an interrupt, once or more often. */
  public static final int KIND_INTERRUPT = 1;

  /** The channel ended with an error. */
  public static final int KIND_ERROR = 2;

  /**
   * Memory that was touched without having been allocated was taken back: {@code address} bytes of
   * it, for the {@code code}th time; no channel.
   */
  public static final int KIND_EXCESS = 3;

  private static final Struct S = Struct.aligned("sluice_ext_event");
  public static final U32 CID = S.u32("cid", "channel");
  public static final U32 KIND = S.u32("kind", "KIND_INTERRUPT, KIND_ERROR or KIND_EXCESS");
  public static final U32 CODE = S.u32("code", "of an error: SLUICE_ERROR_*");
  public static final U32 INFO = S.u32("info", "detail of the error");
  public static final U64 ADDRESS = S.u64("address", "of the error");
  public static final U64 TIME_NS = S.u64("time_ns", "GPU time in nanoseconds");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private ExtEvent() {}
}
