package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_event}: a record of EVENT_READ.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 channel
 *  0x04      4  kind                KIND_INTERRUPT, KIND_ERROR or KIND_EXCESS
 *  0x08      4  code                of an error: SLUICE_ERROR_*
 *  0x0c      4  info                detail of the error
 *  0x10      8  address             of the error
 *  0x18      8  time_ns             GPU time in nanoseconds
 * </pre>
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

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("kind"),
              Layouts.U32.withName("code"),
              Layouts.U32.withName("info"),
              Layouts.U64.withName("address"),
              Layouts.U64.withName("time_ns"))
          .withName("sluice_ext_event");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle KIND = LAYOUT.varHandle(PathElement.groupElement("kind"));
  private static final VarHandle CODE = LAYOUT.varHandle(PathElement.groupElement("code"));
  private static final VarHandle INFO = LAYOUT.varHandle(PathElement.groupElement("info"));
  private static final VarHandle ADDRESS = LAYOUT.varHandle(PathElement.groupElement("address"));
  private static final VarHandle TIME_NS = LAYOUT.varHandle(PathElement.groupElement("time_ns"));

  private ExtEvent() {}

  /** {@code cid}: channel. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }

  /** {@code kind}: KIND_INTERRUPT or KIND_ERROR. */
  public static int kind(MemorySegment segment, long offset) {
    return (int) KIND.get(segment, offset);
  }

  /** Sets {@link #kind}. */
  public static void kind(MemorySegment segment, long offset, int value) {
    KIND.set(segment, offset, value);
  }

  /** {@code code}: of an error: SLUICE_ERROR_*. */
  public static int code(MemorySegment segment, long offset) {
    return (int) CODE.get(segment, offset);
  }

  /** Sets {@link #code}. */
  public static void code(MemorySegment segment, long offset, int value) {
    CODE.set(segment, offset, value);
  }

  /** {@code info}: detail of the error. */
  public static int info(MemorySegment segment, long offset) {
    return (int) INFO.get(segment, offset);
  }

  /** Sets {@link #info}. */
  public static void info(MemorySegment segment, long offset, int value) {
    INFO.set(segment, offset, value);
  }

  /** {@code address}: of the error. */
  public static long address(MemorySegment segment, long offset) {
    return (long) ADDRESS.get(segment, offset);
  }

  /** Sets {@link #address}. */
  public static void address(MemorySegment segment, long offset, long value) {
    ADDRESS.set(segment, offset, value);
  }

  /** {@code time_ns}: GPU time in nanoseconds. */
  public static long timeNs(MemorySegment segment, long offset) {
    return (long) TIME_NS.get(segment, offset);
  }

  /** Sets {@link #timeNs}. */
  public static void timeNs(MemorySegment segment, long offset, long value) {
    TIME_NS.set(segment, offset, value);
  }
}
