package io.sluice.testbed.workloads.asm;

/** Counts the registers and barriers that a kernel uses. */
final class Usage {
  private int registers;
  private int barriers;

  int registers() {
    return registers;
  }

  int barriers() {
    return barriers;
  }

  void count(Statement statement) {
    int width = width(statement);
    for (Operand operand : statement.operands()) {
      switch (operand) {
        case Operand.Register register -> use(register.number(), width);
        case Operand.Memory memory -> use(memory.register(), statement.has("E") ? 2 : 1);
        case Operand.Constant constant -> use(constant.register(), 1);
        default -> {}
      }
    }
    if (statement.mnemonic().equals("BAR")) {
      int id = statement.has("RED") ? 2 : 0;
      boolean immediate = statement.operands().get(id) instanceof Operand.Immediate;
      long number = immediate ? ((Operand.Immediate) statement.operands().get(id)).value() : 0;
      barriers = Math.max(barriers, (int) number + 1);
    }
  }

  private void use(int register, int width) {
    if (register != Operand.RZ) {
      registers = Math.max(registers, register + width);
    }
  }

  /** Registers that an operand takes. */
  private static int width(Statement statement) {
    if (statement.has("128")) {
      return 4;
    }
    boolean pair =
        statement.has("64")
            || statement.has("F64")
            || statement.has("S64")
            || statement.has("U64")
            || statement.mnemonic().startsWith("D");
    return pair ? 2 : 1;
  }
}
