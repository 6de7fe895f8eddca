package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of SETUP_SEGMENT. {@code struct sluice_setup_segment}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      cid              in
 *   0x04  u32      words            in: pushbuffer words, 0 takes the segment back, at most SLUICE_MAX_SETUP_WORDS
 *   0x08  u64      iova             in: bus address of the words, which are copied
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class SetupSegment {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("cid"),
              ValueLayout.JAVA_INT.withName("words"),
              ValueLayout.JAVA_LONG.withName("iova"))
          .withName("sluice_setup_segment");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(groupElement("cid"));
  private static final VarHandle WORDS = LAYOUT.varHandle(groupElement("words"));
  private static final VarHandle IOVA = LAYOUT.varHandle(groupElement("iova"));

  private SetupSegment() {}

  /** {@code cid}: In. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@code cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }

  /**
   * {@code words}: In: pushbuffer words, 0 takes the segment back, at most SLUICE_MAX_SETUP_WORDS.
   */
  public static int words(MemorySegment segment, long offset) {
    return (int) WORDS.get(segment, offset);
  }

  /** Sets {@code words}. */
  public static void words(MemorySegment segment, long offset, int value) {
    WORDS.set(segment, offset, value);
  }

  /** {@code iova}: In: bus address of the words, which are copied. */
  public static long iova(MemorySegment segment, long offset) {
    return (long) IOVA.get(segment, offset);
  }

  /** Sets {@code iova}. */
  public static void iova(MemorySegment segment, long offset, long value) {
    IOVA.set(segment, offset, value);
  }
}
