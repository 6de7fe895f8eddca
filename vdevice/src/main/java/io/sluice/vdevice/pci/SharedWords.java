package io.sluice.vdevice.pci;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Atomic access to naturally aligned words of memory that a guest has mapped too. */
final class SharedWords {
  private static final VarHandle U32 = Layouts.U32.varHandle();
  private static final VarHandle U64 = Layouts.U64.varHandle();

  private SharedWords() {}

  static int getAcquire(MemorySegment segment, long offset) {
    return (int) U32.getAcquire(segment, offset);
  }

  static void setRelease(MemorySegment segment, long offset, int value) {
    U32.setRelease(segment, offset, value);
  }

  static void setOpaque(MemorySegment segment, long offset, int value) {
    U32.setOpaque(segment, offset, value);
  }

  static void or(MemorySegment segment, long offset, int bits) {
    U32.getAndBitwiseOr(segment, offset, bits);
  }

  static long getLongAcquire(MemorySegment segment, long offset) {
    return (long) U64.getAcquire(segment, offset);
  }

  static void setLongRelease(MemorySegment segment, long offset, long value) {
    U64.setRelease(segment, offset, value);
  }
}
