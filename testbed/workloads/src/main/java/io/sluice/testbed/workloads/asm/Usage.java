package io.sluice.testbed.workloads.asm;

import java.util.Set;

/** The registers and barriers that a kernel uses, counted. */
final class Usage {
  private static final Set<String> IMAGES = Set.of("TEX", "TLD", "TLD4", "TXQ", "SULD", "SUST");

  private int registers;
  private int barriers;

  int registers() {
    return registers;
  }

  int barriers() {
    return barriers;
  }

  void count(Statement statement) {
    for (int n = 0; n < statement.operands().size(); n++) {
      Operand operand = statement.operands().get(n);
      switch (operand) {
        case Operand.Register register -> use(register.number(), width(statement, n));
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
  private static int width(Statement statement, int operand) {
    if (IMAGES.contains(statement.mnemonic())) {
      return Math.max(ImageEncoder.width(statement, operand), data(statement));
    }
    return data(statement);
  }

  private static int data(Statement statement) {
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
