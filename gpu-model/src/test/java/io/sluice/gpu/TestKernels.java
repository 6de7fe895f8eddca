package io.sluice.gpu;

/** Words of small kernels. */
final class TestKernels {
  /** c = a * b of n by n unsigned words: parameters a, b, c, n. */
  static final long[] MULTIPLY = {
    0x2800440400005de4L, 0x2c00000098009c04L, 0x2c0000008800dc04L, 0x2006400030209c03L,
    0x2c00000094011c04L, 0x2c00000084015c04L, 0x200a40002040dc03L, 0x1b0e4000e021dc03L,
    0x1b204000e031dc03L, 0x80000000000001e7L, 0x28000000fc019de4L, 0x50004000e021dc03L,
    0x28000000fc021de4L, 0x1800000010025de2L, 0x4800000020729c03L, 0x2013800080a31c03L,
    0x2092800090a35c43L, 0x8400000000c39c85L, 0x20064000e0829c03L, 0x20138000a0a41c03L,
    0x20928000b0a45c43L, 0x8400000001049c85L, 0x4800c00004821c03L, 0x200c000048e19c03L,
    0x188e4000e083dc03L, 0x4003fffe800005e7L, 0x480000000c729c03L, 0x20138000c0a31c03L,
    0x20928000d0a35c43L, 0x9400000000c19c85L, 0x8000000000001de7L
  };

  /** BRA to itself. */
  static final long[] ENDLESS = {0x4003ffffe0001de7L};

  /**
   * Counts up the word that the first parameter points to, for ever: MOV R2, c[0][0x20]; MOV R3,
   * c[0][0x24]; IADD R4, R4, 1; ST.E [R2], R4; BRA to the addition.
   */
  static final long[] COUNT = {
    0x2800400080009de4L,
    0x280040009000dde4L,
    0x4800c00004411c03L,
    0x9400000000211c85L,
    0x4003ffffa0001de7L
  };

  /**
   * Ends when the word that the first parameter points to is not 0: MOV R2, c[0][0x20]; MOV R3,
   * c[0][0x24]; LD.E R4, [R2]; ISETP.EQ P0, R4, 0; @P0 BRA to the load; EXIT.
   */
  static final long[] AWAIT = {
    0x2800400080009de4L,
    0x280040009000dde4L,
    0x8400000000211c85L,
    0x190ec0000041dc03L,
    0x4003ffffa00001e7L,
    0x8000000000001de7L
  };

  /** A word that is no instruction, after a NOP. */
  static final long[] ILLEGAL = {0x4000000000001de4L, 0xffffffffffffffffL};

  /** BAR.SYNC 0; BRA to it. */
  static final long[] BARRIERS = {0x50ee0000ffffdc04L, 0x4003ffffc0001de7L};

  /** MOV32I R2, 2; LD R3, [R2]. */
  static final long[] MISALIGNED = {0x1800000008009de2L, 0x800000000020dc85L, 0x8000000000001de7L};

  /** MOV32I R2, 0x70000000; LD R3, [R2]. */
  static final long[] UNMAPPED = {0x19c0000000009de2L, 0x800000000020dc85L, 0x8000000000001de7L};

  /** CAL to itself. */
  static final long[] CALLS = {0x5003ffffe0001de7L};

  /** A barrier for 64 threads in a block of 32: BAR.SYNC 0, 64; EXIT. */
  static final long[] LONELY_BARRIER = {0x50eec001000fdc04L, 0x8000000000001de7L};

  /** EXIT. */
  static final long[] NOTHING = {0x8000000000001de7L};

  private TestKernels() {}
}
