package io.sluice.testbed.checks;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The choices of a fuzz target, taken from the bytes of its input: what a fuzzer changes in them it
 * changes in the choices, and a generator that was written for random numbers can be led by one. An
 * input that is used up gives zeros, which end most loops.
 *
 * <p>A choice among few takes one byte, so that inputs stay short.
 */
public final class FuzzInput implements RandomGenerator {
  private final byte[] bytes;
  private int at;

  public FuzzInput(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  /** Whether all bytes are used up. */
  public boolean isEmpty() {
    return at == bytes.length;
  }

  /** As many of the bytes that are left as there are, at most {@code most}. */
  public byte[] take(int most) {
    byte[] taken = Arrays.copyOfRange(bytes, at, at + Math.min(most, bytes.length - at));
    at += taken.length;
    return taken;
  }

  /** The bytes that are left. */
  public byte[] rest() {
    return take(bytes.length);
  }

  @Override
  public int nextInt() {
    return (int) word(Integer.BYTES);
  }

  @Override
  public long nextLong() {
    return word(Long.BYTES);
  }

  @Override
  public boolean nextBoolean() {
    return (word(1) & 1) != 0;
  }

  @Override
  public int nextInt(int bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("bound is not positive: " + bound);
    }
    int wide = bound <= 1 << 8 ? 1 : bound <= 1 << 16 ? 2 : Integer.BYTES;
    return (int) Long.remainderUnsigned(word(wide), bound);
  }

  @Override
  public int nextInt(int origin, int bound) {
    return origin + nextInt(Math.subtractExact(bound, origin));
  }

  @Override
  public long nextLong(long bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("bound is not positive: " + bound);
    }
    return Long.remainderUnsigned(nextLong(), bound);
  }

  @Override
  public long nextLong(long origin, long bound) {
    return origin + nextLong(Math.subtractExact(bound, origin));
  }

  /** Little-endian; bytes that are not there are 0. */
  private long word(int wide) {
    long value = 0;
    for (int i = 0; i < wide && at < bytes.length; i++) {
      value |= (bytes[at++] & 0xffL) << (8 * i);
    }
    return value;
  }
}
