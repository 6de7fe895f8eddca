package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NV0005_ALLOC_PARAMETERS}: block of NV01_EVENT_OS_EVENT.
 *
 * <p>24 bytes. Source: cl0005.h.
 */
public final class EventAlloc {
  /** {@link #NOTIFY_INDEX}: the interrupts of running work. */
  public static final int NONSTALL_INTR = 0x0800_0000;

  /** {@link #NOTIFY_INDEX}: readable is all there is to know. */
  public static final int WITHOUT_EVENT_DATA = 0x1000_0000;

  /** {@link #NOTIFY_INDEX}: every non-stall interrupt of any engine. */
  public static final int FIFO_EVENT_MTHD = 35;

  /** {@link #NOTIFY_INDEX}: a channel has ended with an error. */
  public static final int RC_ERROR = 37;

  private static final Struct S = Struct.aligned("NV0005_ALLOC_PARAMETERS");
  public static final U32 H_PARENT_CLIENT = S.u32("hParentClient", "in: client");
  public static final U32 H_SRC_RESOURCE = S.u32("hSrcResource", "in: object that notifies");
  public static final U32 H_CLASS = S.u32("hClass", "in: class number again");
  public static final U32 NOTIFY_INDEX = S.u32("notifyIndex", "in: what of, and flags");
  public static final U64 DATA = S.u64("data", "in: number of the descriptor");
  public static final StructLayout LAYOUT = S.layout();

  private EventAlloc() {}
}
