package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A field of 8 bits without sign. */
public record U8(String name, long offset, VarHandle handle) {
  /** The value of a structure that begins the segment. */
  public int get(MemorySegment segment) {
    return get(segment, 0);
  }

  /** The value of a structure at {@code base}. */
  public int get(MemorySegment segment, long base) {
    return Byte.toUnsignedInt((byte) handle.get(segment, base + offset));
  }

  /** Stores 0 to 255. */
  public void set(MemorySegment segment, int value) {
    set(segment, 0, value);
  }

  /** Stores 0 to 255 in a structure at {@code base}. */
  public void set(MemorySegment segment, long base, int value) {
    handle.set(segment, base + offset, (byte) Struct.fitting(name, value, 0xff));
  }
}
