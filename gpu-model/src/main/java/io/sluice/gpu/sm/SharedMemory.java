package io.sluice.gpu.sm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Shared memory of a block, with the locks that LDSLK takes and STSUL gives back: one for each
 * word. Addresses have been checked for alignment when they get here.
 */
final class SharedMemory {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final long[] locks;

  SharedMemory(int sizeBytes) {
    bytes = new byte[sizeBytes];
    locks = new long[(sizeBytes >> 8) + 1];
  }

  /** Forgets what the last block left. */
  void clear() {
    Arrays.fill(bytes, (byte) 0);
    Arrays.fill(locks, 0);
  }

  int load8(int address) {
    return bytes[index(address, 1)] & 0xff;
  }

  int load16(int address) {
    return (short) SHORT.get(bytes, index(address, 2)) & 0xffff;
  }

  int load32(int address) {
    return (int) INT.get(bytes, index(address, 4));
  }

  void store8(int address, int value) {
    bytes[index(address, 1)] = (byte) value;
  }

  void store16(int address, int value) {
    SHORT.set(bytes, index(address, 2), (short) value);
  }

  void store32(int address, int value) {
    INT.set(bytes, index(address, 4), value);
  }

  /** Takes the lock of a word; false when somebody has it. */
  boolean lock(int address) {
    int word = index(address, 1) >> 2;
    long bit = 1L << word;
    boolean free = (locks[word >> 6] & bit) == 0;
    locks[word >> 6] |= bit;
    return free;
  }

  /** Gives the lock of a word back. */
  void unlock(int address) {
    int word = index(address, 1) >> 2;
    locks[word >> 6] &= ~(1L << word);
  }

  private int index(int address, int size) {
    if (address < 0 || address > bytes.length - size) {
      throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
    }
    return address;
  }
}
