package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A field of 64 bits; a number from 2^63 on is negative here. */
public record U64(String name, long offset, VarHandle handle) {
  /** The value of a structure that begins the segment. */
  public long get(MemorySegment segment) {
    return get(segment, 0);
  }

  /** The value of a structure at {@code base}. */
  public long get(MemorySegment segment, long base) {
    return (long) handle.get(segment, base + offset);
  }

  /** Stores a value. */
  public void set(MemorySegment segment, long value) {
    set(segment, 0, value);
  }

  /** Stores a value in a structure at {@code base}. */
  public void set(MemorySegment segment, long base, long value) {
    handle.set(segment, base + offset, value);
  }
}
