package io.sluice.gpu.sm;

/** Refuses registers beyond those the launch asked for. */
final class RegisterCheck {
  private RegisterCheck() {}

  /**
   * Checks the target and the first source, which every form has in the same place.
   *
   * @param registers registers of a thread
   */
  static void check(Opcode opcode, Instruction i, int registers) {
    switch (opcode) {
      case ISETP, FSETP, DSETP, PSETP, CSETP, NOP, MEMBAR, BAR, R2P -> {}
      default -> require(i.dst(), width(opcode, i), registers);
    }
    switch (opcode) {
      case MOV,
          MOV32I,
          S2R,
          PSETP,
          CSETP,
          PSET,
          CSET,
          NOP,
          MEMBAR,
          BAR,
          VOTE,
          LEPC,
          F2F,
          F2I,
          I2F,
          I2I,
          FLO,
          RRO -> {}
      default -> require(i.src1(), 1, registers);
    }
  }

  /** Registers that the target takes. */
  private static int width(Opcode opcode, Instruction i) {
    return switch (opcode) {
      case DADD, DMUL, DFMA, DMNMX -> 2;
      case LD, LDU, ST, LDS, STS, LDL, STL, LDC ->
          i.accessSize() == 6 ? 4 : i.accessSize() == 5 ? 2 : 1;
      default -> 1;
    };
  }

  private static void require(int register, int width, int registers) {
    if (register != Instruction.RZ && register + width > registers) {
      throw new WarpFault(WarpError.GPR_OUT_OF_BOUNDS, register);
    }
  }
}
