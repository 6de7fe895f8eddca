package io.sluice.abi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** A field of 32 bits with sign: a descriptor, a process, an errno. */
public record S32(String name, long offset, VarHandle handle) {
  /** The value of a structure that begins the segment. */
  public int get(MemorySegment segment) {
    return get(segment, 0);
  }

  /** The value of a structure at {@code base}. */
  public int get(MemorySegment segment, long base) {
    return (int) handle.get(segment, base + offset);
  }

  /** Stores a value. */
  public void set(MemorySegment segment, int value) {
    set(segment, 0, value);
  }

  /** Stores a value in a structure at {@code base}. */
  public void set(MemorySegment segment, long base, int value) {
    handle.set(segment, base + offset, value);
  }
}
