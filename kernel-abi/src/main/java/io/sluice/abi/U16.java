package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A field of 16 bits without sign. */
public record U16(String name, long offset, VarHandle handle) {
  /** The value of a structure that begins the segment. */
  public int get(MemorySegment segment) {
    return get(segment, 0);
  }

  /** The value of a structure at {@code base}. */
  public int get(MemorySegment segment, long base) {
    return Short.toUnsignedInt(bits(segment, base));
  }

  /** The 16 bits as they are. */
  public short bits(MemorySegment segment, long base) {
    return (short) handle.get(segment, base + offset);
  }

  /** Stores 0 to 65535. */
  public void set(MemorySegment segment, int value) {
    set(segment, 0, value);
  }

  /** Stores 0 to 65535 in a structure at {@code base}. */
  public void set(MemorySegment segment, long base, int value) {
    setBits(segment, base, (short) Struct.fitting(name, value, 0xffff));
  }

  /** Stores 16 bits as they are. */
  public void setBits(MemorySegment segment, long base, short bits) {
    handle.set(segment, base + offset, bits);
  }
}
