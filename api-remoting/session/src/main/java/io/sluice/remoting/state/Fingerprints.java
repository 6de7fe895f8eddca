package io.sluice.remoting.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A number of 64 bits for each piece of each object that was sent, so that a piece which is equal
 * is not sent again. Whoever makes two pieces with one number, harms the session that is its own.
 */
public final class Fingerprints {
  private static final long PRIME = 0x9e3779b97f4a7c15L;
  private static final long OTHER = 0xc2b2ae3d27d4eb4fL;

  private final Map<Long, long[]> sent = new HashMap<>();

  /**
   * Notes a piece.
   *
   * @param object its serial
   * @param piece its number
   * @return whether it was noted with the same bytes before
   */
  public boolean note(long object, int piece, MemorySegment bytes) {
    long[] row = sent.computeIfAbsent(object, _ -> new long[16]);
    if (piece >= row.length) {
      row = Arrays.copyOf(row, Math.max(piece + 1, row.length * 2));
      sent.put(object, row);
    }
    long now = of(bytes);
    boolean same = row[piece] == now;
    row[piece] = now;
    return same;
  }

  /** Forgets an object. */
  public void forget(long object) {
    sent.remove(object);
  }

  /** Whether all bytes are 0. */
  public static boolean isZero(MemorySegment bytes) {
    long at = 0;
    long end = bytes.byteSize();
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if (bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != 0) {
        return false;
      }
    }
    for (; at < end; at++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The number of a piece; never 0. */
  static long of(MemorySegment bytes) {
    long end = bytes.byteSize();
    long a = end;
    long b = PRIME;
    long c = OTHER;
    long d = end * OTHER;
    long at = 0;
    for (; at + 32 <= end; at += 32) { // four rows, so that the processor need not wait for each
      a = (a ^ bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at)) * PRIME;
      b = (b ^ bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8)) * PRIME;
      c = (c ^ bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 16)) * PRIME;
      d = (d ^ bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 24)) * PRIME;
      a ^= a >>> 29;
      b ^= b >>> 31;
      c ^= c >>> 29;
      d ^= d >>> 31;
    }
    for (; at < end; at++) {
      a = (a ^ bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff) * PRIME;
      a ^= a >>> 32;
    }
    long all = mix(a) + mix(b) * PRIME ^ mix(c) * OTHER + Long.rotateLeft(mix(d), 17);
    long result = mix(all);
    return result == 0 ? 1 : result;
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 33) * OTHER;
    return mixed ^ mixed >>> 29;
  }
}
