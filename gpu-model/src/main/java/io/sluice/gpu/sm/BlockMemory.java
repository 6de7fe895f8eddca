package io.sluice.gpu.sm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Shared memory of a block and local memory of its threads. Local addresses from 0 up are the
 * positive part; those just below 2^24 are the negative part (the stack of a thread grows there).
 */
final class BlockMemory {
  /** Generic windows, and the local address space, are this large. */
  static final int WINDOW_BYTES = 1 << 24;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] shared;
  private final byte[] local;
  private final int positive;
  private final int negative;

  BlockMemory(Grid grid) {
    shared = new byte[grid.sharedBytes()];
    positive = grid.localPositiveBytes();
    negative = grid.localNegativeBytes();
    local = new byte[Math.multiplyExact(positive + negative, grid.warps() * Warp.LANES)];
  }

  /** Forgets what the last block left. */
  void clear() {
    Arrays.fill(shared, (byte) 0);
    Arrays.fill(local, (byte) 0);
  }

  int loadShared(int address, int bytes) {
    return load(shared, sharedIndex(address, bytes), bytes);
  }

  void storeShared(int address, int bytes, int value) {
    store(shared, sharedIndex(address, bytes), bytes, value);
  }

  int loadLocal(int thread, int address, int bytes) {
    return load(local, localIndex(thread, address, bytes), bytes);
  }

  void storeLocal(int thread, int address, int bytes, int value) {
    store(local, localIndex(thread, address, bytes), bytes, value);
  }

  private int sharedIndex(int address, int bytes) {
    if (address < 0 || (long) address + bytes > shared.length) {
      throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
    }
    return address;
  }

  private int localIndex(int thread, int address, int bytes) {
    int base = thread * (positive + negative);
    int masked = address & WINDOW_BYTES - 1;
    if (masked + bytes <= positive) {
      return base + masked;
    }
    int fromTop = WINDOW_BYTES - masked;
    if (fromTop <= negative && bytes <= fromTop) {
      return base + positive + negative - fromTop;
    }
    throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
  }

  private static int load(byte[] memory, int index, int bytes) {
    return switch (bytes) {
      case 1 -> memory[index] & 0xff;
      case 2 -> memory[index] & 0xff | (memory[index + 1] & 0xff) << 8;
      default -> (int) INT.get(memory, index);
    };
  }

  private static void store(byte[] memory, int index, int bytes, int value) {
    switch (bytes) {
      case 1 -> memory[index] = (byte) value;
      case 2 -> {
        memory[index] = (byte) value;
        memory[index + 1] = (byte) (value >> 8);
      }
      default -> INT.set(memory, index, value);
    }
  }
}
