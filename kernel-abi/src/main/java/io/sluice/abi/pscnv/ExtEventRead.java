package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * {@code struct sluice_ext_event_read}: argument of EVENT_READ.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  count               in: most records wanted, 1 to MAX_RECORDS; out: how many came
 *  0x04      4  pad
 *  0x08   2048  records[64]         events, latched per channel
 * </pre>
 *
 * <p>2056 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtEventRead {
  /** Most records of one call. */
  public static final int MAX_RECORDS = 64;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("count"),
              Layouts.U32.withName("pad"),
              MemoryLayout.sequenceLayout(64, ExtEvent.LAYOUT).withName("records"))
          .withName("sluice_ext_event_read");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));
  private static final long RECORDS_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("records"));

  private ExtEventRead() {}

  /** {@code count}, in: most records wanted, 1 to MAX_RECORDS; out: how many came. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** Offset of record {@code index}. {@code records}: events, latched per channel. */
  public static long recordOffset(int index) {
    return RECORDS_OFFSET + Objects.checkIndex(index, 64) * ExtEvent.SIZE;
  }
}
