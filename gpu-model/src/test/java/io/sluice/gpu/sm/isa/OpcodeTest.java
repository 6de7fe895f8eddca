package io.sluice.gpu.sm.isa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OpcodeTest {
  @Test
  void of_wordOfNoForm_isNull() {
    assertThat(Opcode.of(0xffffffffffffffffL)).isNull();
    assertThat(Opcode.of(0x4000000000000000L)).isNull();
  }

  /** Words that an independent disassembler reads as these instructions. */
  @ParameterizedTest
  @CsvSource({
    "2800440400005de4, MOV", "2800000014011de4, MOV", "1b7ab6fbbc011de2, MOV32I",
    "2c00000084001c04, S2R", "4800000010309c03, IADD", "4800c00010309c03, IADD",
    "0848d159e0309c02, IADD32I", "5000000010309c03, IMUL", "200a000010309c03, IMAD",
    "200a8000a0309c03, IMAD", "4000400080309c43, ISCADD", "6000c00008309c03, SHL",
    "5800c00008309c23, SHR", "6800000010309c03, LOP", "188e00001031dc23, ISETP",
    "208e00001031dc00, FSETP", "5000000010309c00, FADD", "5800cfe000309c00, FMUL",
    "300a000010309c00, FFMA", "c800000010309c00, MUFU", "8400000000409c85, LD",
    "9400000000409c85, ST", "c100000020409c85, LDS", "c900000020409c85, STS",
    "1400080040409c86, LDC", "4003ffffc0001de7, BRA", "6000000100000007, SSY",
    "4000000000001de4, NOP", "8000000000001de7, EXIT", "50ee0000ffffdc04, BAR",
    "1406000011209c84, F2I", "1800000011209e04, I2F", "2000000010309c04, SEL",
    "507e300000409c05, ATOM", "1000000000409c05, RED", "500e300000409d25, ATOM_CAS",
    "e000000000001c25, MEMBAR", "4800000018409c01, DADD"
  })
  void of_verifiedWord_isItsForm(String word, Opcode expected) {
    assertThat(Opcode.of(Long.parseUnsignedLong(word, 16))).isEqualTo(expected);
  }
}
