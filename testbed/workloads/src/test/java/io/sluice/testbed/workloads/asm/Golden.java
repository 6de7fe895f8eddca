package io.sluice.testbed.workloads.asm;

import java.util.List;

/** Two kernels whose words are known from outside, and their text. */
public final class Golden {
  /** What nvcc made of c[i] = y[i] - x[i] * x[i] for sm_20. */
  public static final List<Long> SQUARES =
      List.of(
          0x2800440400005de4L,
          0x2c0000008400dc04L,
          0x1800000010015de2L,
          0x200b800080321c03L,
          0x208a800090325c43L,
          0x200b8000a0319c03L,
          0x8400000000801c85L,
          0x208a8000b031dc43L,
          0x200b8000c0311c03L,
          0x8400000000609c85L,
          0x208a8000d0315c43L,
          0x3004000000001e40L,
          0x9400000000401c85L,
          0x8000000000001de7L);

  /** c = a * b of n by n unsigned words, assembled by hand and read back by envydis. */
  public static final List<Long> MULTIPLY =
      List.of(
          0x2800440400005de4L,
          0x2c00000098009c04L,
          0x2c0000008800dc04L,
          0x2006400030209c03L,
          0x2c00000094011c04L,
          0x2c00000084015c04L,
          0x200a40002040dc03L,
          0x1b0e4000e021dc03L,
          0x1b204000e031dc03L,
          0x80000000000001e7L,
          0x28000000fc019de4L,
          0x50004000e021dc03L,
          0x28000000fc021de4L,
          0x1800000010025de2L,
          0x4800000020729c03L,
          0x2013800080a31c03L,
          0x2092800090a35c43L,
          0x8400000000c39c85L,
          0x20064000e0829c03L,
          0x20138000a0a41c03L,
          0x20928000b0a45c43L,
          0x8400000001049c85L,
          0x4800c00004821c03L,
          0x200c000048e19c03L,
          0x188e4000e083dc03L,
          0x4003fffe800005e7L,
          0x480000000c729c03L,
          0x20138000c0a31c03L,
          0x20928000d0a35c43L,
          0x9400000000c19c85L,
          0x8000000000001de7L);

  /** Both as text. */
  public static final String TEXT =
      """
      .kernel squares
      .param 8 c
      .param 8 y
      .param 8 x
        MOV R1, c[0x1][0x100]
        S2R R3, SR_TID.X
        MOV32I R5, 4
        IMAD R8.CC, R3, R5, %c
        IMAD.HI.X R9, R3, R5, %c+4
        IMAD R6.CC, R3, R5, %y
        LD.E R0, [R8]
        IMAD.HI.X R7, R3, R5, %y+4
        IMAD R4.CC, R3, R5, %x
        LD.E R2, [R6]
        IMAD.HI.X R5, R3, R5, %x+4
        FFMA.FTZ R0, -R0, R0, R2
        ST.E [R4], R0
        EXIT

      .kernel multiply
      .param 8 a
      .param 8 b
      .param 8 c
      .param 4 n
        MOV R1, c[0x1][0x100]
        S2R R2, SR_CTAID.Y
        S2R R3, SR_TID.Y
        IMAD R2, R2, c[0x0][0xc], R3
        S2R R4, SR_CTAID.X
        S2R R5, SR_TID.X
        IMAD R3, R4, c[0x0][0x8], R5
        ISETP.GE P0, R2, %n
        ISETP.GE.OR P0, R3, %n, P0
        @P0 EXIT
        MOV R6, RZ
        IMUL R7, R2, %n
        MOV R8, RZ
        MOV32I R9, 4
      loop:
        IADD R10, R7, R8
        IMAD R12.CC, R10, R9, %a
        IMAD.HI.X R13, R10, R9, %a+4
        LD.E R14, [R12]
        IMAD R10, R8, %n, R3
        IMAD R16.CC, R10, R9, %b
        IMAD.HI.X R17, R10, R9, %b+4
        LD.E R18, [R16]
        IADD R8, R8, 1
        IMAD R6, R14, R18, R6
        ISETP.LT P1, R8, %n
        @P1 BRA loop
        IADD R10, R7, R3
        IMAD R12.CC, R10, R9, %c
        IMAD.HI.X R13, R10, R9, %c+4
        ST.E [R12], R6
        EXIT
      """;

  private Golden() {}
}
