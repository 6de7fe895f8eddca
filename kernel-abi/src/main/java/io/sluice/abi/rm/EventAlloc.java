package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV0005_ALLOC_PARAMETERS}: block of NV01_EVENT_OS_EVENT.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hParentClient             in: client
 * 0x04      4  hSrcResource              in: object that notifies
 * 0x08      4  hClass                    in: class number again
 * 0x0c      4  notifyIndex               in: what of, and flags
 * 0x10      8  data                      in: number of the descriptor
 * </pre>
 *
 * <p>24 bytes. Source: cl0005.h.
 */
public final class EventAlloc {
  /** {@link #notifyIndex}: the interrupts of running work. */
  public static final int NONSTALL_INTR = 0x0800_0000;

  /** {@link #notifyIndex}: readable is all there is to know. */
  public static final int WITHOUT_EVENT_DATA = 0x1000_0000;

  /** {@link #notifyIndex}: every non-stall interrupt of any engine. */
  public static final int FIFO_EVENT_MTHD = 35;

  /** {@link #notifyIndex}: a channel has ended with an error. */
  public static final int RC_ERROR = 37;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hParentClient"),
              Layouts.U32.withName("hSrcResource"),
              Layouts.U32.withName("hClass"),
              Layouts.U32.withName("notifyIndex"),
              Layouts.U64.withName("data"))
          .withName("NV0005_ALLOC_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_PARENT_CLIENT =
      LAYOUT.varHandle(PathElement.groupElement("hParentClient"));

  private static final VarHandle H_SRC_RESOURCE =
      LAYOUT.varHandle(PathElement.groupElement("hSrcResource"));

  private static final VarHandle H_CLASS = LAYOUT.varHandle(PathElement.groupElement("hClass"));

  private static final VarHandle NOTIFY_INDEX =
      LAYOUT.varHandle(PathElement.groupElement("notifyIndex"));

  private static final VarHandle DATA = LAYOUT.varHandle(PathElement.groupElement("data"));

  private EventAlloc() {}

  /** {@code hParentClient}, in: client. */
  public static int hParentClient(MemorySegment segment) {
    return (int) H_PARENT_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hParentClient}. */
  public static void hParentClient(MemorySegment segment, int value) {
    H_PARENT_CLIENT.set(segment, 0L, value);
  }

  /** {@code hSrcResource}, in: object that notifies. */
  public static int hSrcResource(MemorySegment segment) {
    return (int) H_SRC_RESOURCE.get(segment, 0L);
  }

  /** Sets {@link #hSrcResource}. */
  public static void hSrcResource(MemorySegment segment, int value) {
    H_SRC_RESOURCE.set(segment, 0L, value);
  }

  /** {@code hClass}, in: class number again. */
  public static int hClass(MemorySegment segment) {
    return (int) H_CLASS.get(segment, 0L);
  }

  /** Sets {@link #hClass}. */
  public static void hClass(MemorySegment segment, int value) {
    H_CLASS.set(segment, 0L, value);
  }

  /** {@code notifyIndex}, in: what of, and flags. */
  public static int notifyIndex(MemorySegment segment) {
    return (int) NOTIFY_INDEX.get(segment, 0L);
  }

  /** Sets {@link #notifyIndex}. */
  public static void notifyIndex(MemorySegment segment, int value) {
    NOTIFY_INDEX.set(segment, 0L, value);
  }

  /** {@code data}, in: number of the descriptor. */
  public static long data(MemorySegment segment) {
    return (long) DATA.get(segment, 0L);
  }

  /** Sets {@link #data}. */
  public static void data(MemorySegment segment, long value) {
    DATA.set(segment, 0L, value);
  }
}
