package io.sluice.testbed.workloads.asm;

import java.util.List;

/**
 * One instruction, as written.
 *
 * @param line where
 * @param address byte offset of its word in the program
 * @param predicate under which it is executed
 * @param mnemonic its name without modifiers
 * @param modifiers what follows the name after points
 * @param operands what follows, in order
 */
record Statement(
    int line,
    int address,
    Operand.Predicate predicate,
    String mnemonic,
    List<String> modifiers,
    List<Operand> operands) {
  boolean has(String modifier) {
    return modifiers.contains(modifier);
  }

  AssemblyException error(String problem) {
    return new AssemblyException(line, mnemonic + ": " + problem);
  }
}
