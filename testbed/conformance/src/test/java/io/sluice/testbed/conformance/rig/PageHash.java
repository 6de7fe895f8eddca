package io.sluice.testbed.conformance.rig;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What the kernel {@code page_hash} computes, by one thread. */
public final class PageHash {
  private static final int LANES = 32;

  private PageHash() {}

  /** 128 bits of a page of 4 KiB. */
  public static long[] of(MemorySegment page, long seed) {
    long[] first = new long[LANES];
    long[] second = new long[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      long a = seed ^ lane * 0x9e37_79b9_7f4a_7c15L;
      long b = ~a;
      for (int i = 0; i < 8; i++) {
        long at = (i * LANES + lane) * 16L;
        a = (a ^ page.get(ValueLayout.JAVA_LONG, at)) * 0xff51_afd7_ed55_8ccdL;
        b = (b ^ page.get(ValueLayout.JAVA_LONG, at + 8)) * 0xc4ce_b9fe_1a85_ec53L;
        a ^= b >>> 32;
        b ^= a >>> 29;
      }
      first[lane] = a;
      second[lane] = b;
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
      long[] nextFirst = new long[LANES];
      long[] nextSecond = new long[LANES];
      for (int lane = 0; lane < LANES; lane++) {
        nextFirst[lane] = first[lane] + first[lane ^ step] * 0x9e37_79b9_7f4a_7c15L;
        nextSecond[lane] = second[lane] + second[lane ^ step] * 0xc2b2_ae3d_27d4_eb4fL;
      }
      first = nextFirst;
      second = nextSecond;
    }
    return new long[] {first[0], second[0]};
  }
}
