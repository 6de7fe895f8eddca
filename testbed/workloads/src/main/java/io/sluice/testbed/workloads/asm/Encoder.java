package io.sluice.testbed.workloads.asm;

import java.util.function.ToIntFunction;

/** The encoding of a statement: it turns one into its word. */
@FunctionalInterface
interface Encoder {
  /**
   * @param labels byte offset of a name in the program
   */
  long encode(Statement statement, ToIntFunction<String> labels);
}
