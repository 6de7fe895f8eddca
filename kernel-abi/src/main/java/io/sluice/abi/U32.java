package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A field of 32 bits without sign. {@code get} and {@code set} carry the number, {@code bits} and
 * {@code setBits} the raw word of flags, handles, codes and tokens, with which nobody calculates.
 * What counts or measures is read by {@code get}.
 */
public record U32(String name, long offset, VarHandle handle) {
  /** The value of a structure that begins the segment. */
  public long get(MemorySegment segment) {
    return get(segment, 0);
  }

  /** The value of a structure at {@code base}. */
  public long get(MemorySegment segment, long base) {
    return Integer.toUnsignedLong(bits(segment, base));
  }

  /** The 32 bits of a structure that begins the segment. */
  public int bits(MemorySegment segment) {
    return bits(segment, 0);
  }

  /** The 32 bits of a structure at {@code base}. */
  public int bits(MemorySegment segment, long base) {
    return (int) handle.get(segment, base + offset);
  }

  /** The 32 bits, read before all that follows; of an aligned structure. */
  public int bitsAcquire(MemorySegment segment, long base) {
    return (int) handle.getAcquire(segment, base + offset);
  }

  /** Stores 0 to 2^32 - 1. */
  public void set(MemorySegment segment, long value) {
    set(segment, 0, value);
  }

  /** Stores 0 to 2^32 - 1 in a structure at {@code base}. */
  public void set(MemorySegment segment, long base, long value) {
    setBits(segment, base, (int) Struct.fitting(name, value, 0xffff_ffffL));
  }

  /** Stores 32 bits as they are. */
  public void setBits(MemorySegment segment, int bits) {
    setBits(segment, 0, bits);
  }

  /** Stores 32 bits as they are in a structure at {@code base}. */
  public void setBits(MemorySegment segment, long base, int bits) {
    handle.set(segment, base + offset, bits);
  }

  /** Stores 32 bits after all that was stored before; of an aligned structure. */
  public void setRelease(MemorySegment segment, long base, int bits) {
    handle.setRelease(segment, base + offset, bits);
  }
}
