package io.sluice.gpu.mmu;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Guest memory that was registered: a mapped range of a file of the guest. After {@link #revoke} no
 * translation leads here any more, whatever still refers to it.
 */
public final class MemoryRegion {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  private final int id;
  private final long sizeBytes;
  private final boolean writable;
  private @Nullable MemorySegment segment;

  /**
   * @param id the region's number of this open
   * @param segment the mapped range
   * @param writable whether the GPU may write
   */
  public MemoryRegion(int id, MemorySegment segment, boolean writable) {
    this.id = id;
    this.segment = segment;
    this.sizeBytes = segment.byteSize();
    this.writable = writable;
  }

  /** The region's number of this open. */
  public int id() {
    return id;
  }

  /** Length in bytes. */
  public long sizeBytes() {
    return sizeBytes;
  }

  boolean writable() {
    return writable;
  }

  @Nullable MemorySegment segment() {
    return segment;
  }

  /** Whether the memory was taken away. */
  public boolean isRevoked() {
    return segment == null;
  }

  /** Whether the region can be written and has a bit in its 32-bit words. */
  public boolean hasBit(int bit) {
    return writable && bit >= 0 && bit >>> 3 < sizeBytes;
  }

  /** Sets a bit of the region's 32-bit words atomically; whether it was set. */
  public boolean setBit(int bit) {
    int mask = 1 << (bit & 31);
    return ((int) WORD.getAndBitwiseOr(words(), offsetOf(bit), mask) & mask) != 0;
  }

  /** Clears a bit of the region's 32-bit words atomically. */
  public void clearBit(int bit) {
    WORD.getAndBitwiseAnd(words(), offsetOf(bit), ~(1 << (bit & 31)));
  }

  private static long offsetOf(int bit) {
    return (long) (bit >>> 5) * Integer.BYTES;
  }

  private MemorySegment words() {
    MemorySegment words = segment;
    if (words == null) {
      throw new AssertionError("the region is revoked, id=" + id);
    }
    return words;
  }

  /** Takes the memory away from every buffer that was made of it. */
  public void revoke() {
    segment = null;
  }
}
