package io.sluice.gpu.sm.memory;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import java.util.Arrays;

/**
 * Shared memory of a block, with the locks that LDSLK takes and STSUL gives back: one for each
 * word. Its size is a multiple of {@value #GRANULE_BYTES} bytes, as the hardware's.
 */
public final class BlockMemory {
  private static final int GRANULE_BYTES = 128;
  private static final int WORD_SHIFT = 2;

  /** Its bytes, little-endian. */
  public final int[] words;

  private final boolean[] locked;

  BlockMemory(int sizeBytes) {
    int size = (sizeBytes + GRANULE_BYTES - 1) & -GRANULE_BYTES;
    words = new int[size >> WORD_SHIFT];
    locked = new boolean[words.length];
  }

  /** Forgets what the last block left. */
  public void clear() {
    Arrays.fill(words, 0);
    Arrays.fill(locked, false);
  }

  public int load8(int address) {
    return words[word(address)] >>> 8 * (address & 3) & 0xff;
  }

  public int load16(int address) {
    LaneMemory.align(Integer.toUnsignedLong(address), 2);
    return words[word(address)] >>> 8 * (address & 2) & 0xffff;
  }

  public int load32(int address) {
    LaneMemory.align(Integer.toUnsignedLong(address), 4);
    return words[word(address)];
  }

  public void store8(int address, int value) {
    int word = word(address);
    int shift = 8 * (address & 3);
    words[word] = words[word] & ~(0xff << shift) | (value & 0xff) << shift;
  }

  public void store16(int address, int value) {
    LaneMemory.align(Integer.toUnsignedLong(address), 2);
    int word = word(address);
    int shift = 8 * (address & 2);
    words[word] = words[word] & ~(0xffff << shift) | (value & 0xffff) << shift;
  }

  public void store32(int address, int value) {
    LaneMemory.align(Integer.toUnsignedLong(address), 4);
    words[word(address)] = value;
  }

  /** Takes the lock of a word; false when somebody has it. */
  public boolean lock(int address) {
    int word = word(address);
    boolean free = !locked[word];
    locked[word] = true;
    return free;
  }

  /** Gives the lock of a word back. */
  public void unlock(int address) {
    locked[word(address)] = false;
  }

  private int word(int address) {
    int word = address >>> WORD_SHIFT;
    if (word >= words.length) {
      throw outOfBounds(address);
    }
    return word;
  }

  private static WarpFault outOfBounds(int address) {
    return new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
  }
}
