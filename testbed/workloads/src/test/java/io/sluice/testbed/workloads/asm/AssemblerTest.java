package io.sluice.testbed.workloads.asm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AssemblerTest {
  /** Words that an independent disassembler reads as these instructions. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          MOV R1, c[0x1][0x100]             | 2800440400005de4
          MOV R0, c[0x10][0x8]              | 2800400024001de4
          MOV R4, R5                        | 2800000014011de4
          MOV32I R4, 0xdeadbeef             | 1b7ab6fbbc011de2
          S2R R0, SR_TID.X                  | 2c00000084001c04
          S2R R0, SR_CTAID.X                | 2c00000094001c04
          IADD R2, R3, R4                   | 4800000010309c03
          IADD R2, R3, -R4                  | 4800000010309d03
          IADD R2, R3, 4                    | 4800c00010309c03
          IADD R2.CC, R3, R4                | 4801000010309c03
          IADD.X R2, R3, R4                 | 4800000010309c43
          IADD32I R2, R3, 0x12345678        | 0848d159e0309c02
          IMUL R2, R3, R4                   | 5000000010309c03
          IMAD R2, R3, R4, R5               | 200a000010309c03
          IMAD.S32 R2, R3, c[0x0][0x28], R5 | 200a4000a0309ca3
          IMAD R2, R3, R5, c[0x0][0x28]     | 200a8000a0309c03
          ISCADD R2, R3, c[0x0][0x20], 2    | 4000400080309c43
          SHL R2, R3, 2                     | 6000c00008309c03
          SHR.S32 R2, R3, 2                 | 5800c00008309c23
          LOP.AND R2, R3, R4                | 6800000010309c03
          LOP.OR R2, R3, R4                 | 6800000010309c43
          LOP.XOR R2, R3, R4                | 6800000010309c83
          ISETP.LT.S32 P0, PT, R3, R4, PT   | 188e00001031dc23
          ISETP.GE P1, R3, c[0x0][0x2c]     | 1b0e4000b033dc03
          ISETP.EQ P0, R3, 0                | 190ec0000031dc03
          FSETP.LT P0, R3, R4               | 208e00001031dc00
          FADD R2, R3, R4                   | 5000000010309c00
          FMUL R2, R3, 1.0                  | 5800cfe000309c00
          FFMA R2, R3, R4, R5               | 300a000010309c00
          MUFU.RCP R2, R3                   | c800000010309c00
          MUFU.RSQ R2, R3                   | c800000014309c00
          LD.E R2, [R4]                     | 8400000000409c85
          LD R2, [R4+0x10]                  | 8000000040409c85
          ST.E [R4], R2                     | 9400000000409c85
          LDS R2, [R4+8]                    | c100000020409c85
          STS [R4+8], R2                    | c900000020409c85
          LDC R2, c[0x2][R4+0x10]           | 1400080040409c86
          BRA -16                           | 4003ffffc0001de7
          @P0 BRA 0x40                      | 40000001000001e7
          @!P0 BRA 0x40                     | 40000001000021e7
          SSY 0x40                          | 6000000100000007
          NOP                               | 4000000000001de4
          NOP.S                             | 4000000000001df4
          EXIT                              | 8000000000001de7
          @P1 EXIT                          | 80000000000005e7
          BAR.SYNC RZ, RZ                   | 50ee0000ffffdc04
          BAR.SYNC 0                        | 50ee8000fc0fdc04
          F2I.S32.F32.TRUNC R2, R4          | 1406000011209c84
          I2F.F32.S32 R2, R4                | 1800000011209e04
          SEL R2, R3, R4, P0                | 2000000010309c04
          ATOM.ADD R6, [R4], R2             | 507e300000409c05
          RED.ADD [R4], R2                  | 1000000000409c05
          ATOM.CAS R6, [R4], R2, R7         | 500e300000409d25
          MEMBAR.GL                         | e000000000001c25
          DADD R2, R4, R6                   | 4800000018409c01
          DADD R4, R2, c[0x0][0x20]         | 4800400090211c01
          DSETP.LT P0, R2, c[0x10][0x8]     | 188e40003421dc01
          DFMA R2, R4, R6, c[0x2][0x10]     | 200c880050409c01
          TEX R0, R4, 5, 3, 2D, 0x3         | 8010c305fc401c06
          TEX.P.LZ R0, R4, 0, 0, ARRAY_1D, 0x1 | 82084000fc401d06
          TLD.T R2, R3, 1, 1D, 0x1          | 90004001fc309c86
          TLD4.B R8, R4, 1, 2, 2D, 0xf      | a013c201fc421c46
          TXQ R0, RZ, 5, 0x3                | c000c005fff01c06
          SULD.32.2D.TRAP R0, 2, R4         | d401500008401c85
          SUST.64.1D.CLAMP 1, R4, R2        | dc00c00004409ca5
          SUST.P.2D.TRAP.RGBA 2, R4, R8     | dc1f500008421c05
          """)
  void instruction_verifiedText_isItsWord(String text, String word) {
    assertThat(Long.toHexString(Assembler.instruction(text)))
        .isEqualTo(word.replaceFirst("^0+", ""));
  }

  /** The words of nvcc's kernel and of the hand-assembled matrix product. */
  @Test
  void assemble_goldenKernels_areTheirWords() {
    List<Kernel> kernels = Assembler.assemble(Golden.TEXT);

    assertThat(kernels.get(0).words()).isEqualTo(Golden.SQUARES);
    assertThat(kernels.get(1).words()).isEqualTo(Golden.MULTIPLY);
    assertThat(kernels.get(1).registers()).isEqualTo(19);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FROB R1, R2",
        "IADD R1, R2, 0x80000",
        "IADD R1, -R2, -R3",
        "IADD R63, R2, R3",
        "MOV R1, c[0x1][0x2]",
        "DADD R2, R4, c[0x0][0x24]",
        "FMUL R1, R2, 0.1",
        "FADD R1, R2, 3",
        "LDS R1, [R2+0x800000]",
        "BRA nowhere",
        "ISETP P0, R1, R2",
        "S2R R0, SR_NOTHING",
        "MOV32I R0, 0x100000000",
        "IADD R1, R2"
      })
  void instruction_whatCannotBe_isRefused(String text) {
    assertThatExceptionOfType(AssemblyException.class)
        .isThrownBy(() -> Assembler.instruction(text))
        .withMessageStartingWith("line 1: ");
  }

  @Test
  void assemble_parameters_areAlignedAndNamed() {
    Kernel kernel =
        Assembler.assemble(
                """
                .kernel k
                .param 8 a
                .param 4 n
                .param 8 b
                .equ STEP 0x10
                .shared 0x80
                  MOV R0, %a            // lower half
                  MOV R1, %b+4
                  IADD R0, R0, STEP
                  BAR.SYNC 3
                  EXIT
                """)
            .get(0);

    assertThat(kernel.words().get(0)).isEqualTo(Assembler.instruction("MOV R0, c[0][0x20]"));
    assertThat(kernel.words().get(1)).isEqualTo(Assembler.instruction("MOV R1, c[0][0x34]"));
    assertThat(kernel.words().get(2)).isEqualTo(Assembler.instruction("IADD R0, R0, 16"));
    assertThat(kernel.parameterBytes()).isEqualTo(0x18);
    assertThat(kernel.sharedBytes()).isEqualTo(0x80);
    assertThat(kernel.registers()).isEqualTo(2);
    assertThat(kernel.barriers()).isEqualTo(4);
  }

  @Test
  void assemble_labelTwice_isRefusedWithItsLine() {
    assertThatExceptionOfType(AssemblyException.class)
        .isThrownBy(() -> Assembler.assemble(".kernel k\na:\nNOP\na:\n"))
        .withMessageStartingWith("line 4: ");
  }
}
