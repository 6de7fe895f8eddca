package io.sluice.gpu.sm;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Global memory of one range of addresses, for tests. */
public final class FlatMemory implements Translator {
  private static final long PAGE_BYTES = 4096;
  private static final int PAGE_NOT_PRESENT = 2;

  private final long base;
  private final MemorySegment bytes;

  public FlatMemory(long base, int size) {
    this.base = base;
    this.bytes = MemorySegment.ofArray(new long[size / 8]);
  }

  @Override
  public void translate(long address, boolean write, Window window) {
    long offset = address - base;
    if (offset < 0 || offset >= bytes.byteSize()) {
      throw new MemoryFault(address, write, PAGE_NOT_PRESENT);
    }
    long first = write ? offset & -PAGE_BYTES : 0;
    window.set(bytes, first, base + first, write ? PAGE_BYTES : bytes.byteSize());
  }

  /** Offset of the first byte that differs from another memory, or -1. */
  public long mismatch(FlatMemory other) {
    return bytes.mismatch(other.bytes);
  }

  public int load32(long address) {
    return bytes.get(ValueLayout.JAVA_INT, address - base);
  }

  void store8(long address, int value) {
    bytes.set(ValueLayout.JAVA_BYTE, address - base, (byte) value);
  }

  public void store32(long address, int value) {
    bytes.set(ValueLayout.JAVA_INT, address - base, value);
  }

  public void store64(long address, long value) {
    bytes.set(ValueLayout.JAVA_LONG, address - base, value);
  }
}
