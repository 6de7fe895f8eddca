package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** One event of the queue in BAR 1. {@code struct sluice_event}, sluice_abi.h. */
public final class GuestEvent {
  private static final Struct S = Struct.aligned("sluice_event");
  public static final U32 KIND = S.u32("kind", "SLUICE_EVENT_*; never 0");
  public static final U32 ID = S.u32("id", "channel, or other object of the kind");
  public static final U32 CODE = S.u32("code", "of the kind");
  public static final U32 INFO = S.u32("info", "of the kind");
  public static final U64 ADDRESS = S.u64("address", "of the kind");
  public static final U64 TIME_NS = S.u64("time_ns", "GPU time");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private GuestEvent() {}
}
