package io.sluice.abi.guest;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * The event queue in BAR 1; its entries follow. {@code struct sluice_event_queue}, sluice_abi.h.
 */
public final class EventQueue {
  private static final Struct S = Struct.aligned("sluice_event_queue");
  public static final U32 HEAD = S.u32("head", "host");
  public static final U32 LOST = S.u32("lost", "host");
  public static final U32 TAIL = S.pad(56).u32("tail", "guest");
  public static final U32 TOUCHED = S.u32("touched", "guest");
  public static final Elements<Long> ENTRIES =
      S.pad(56).structs("entries", 128, GuestEvent.LAYOUT, "a ring of events");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private EventQueue() {}
}
