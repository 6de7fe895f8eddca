package io.sluice.testbed.workloads.asm;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Turns a statement into its word. */
@FunctionalInterface
interface Encoder {
  /**
   * @param labels byte offset of a name in the program
   */
  long encode(Statement statement, ToIntFunction<String> labels);

  /** All encoders, by mnemonic. */
  static Map<String, Encoder> all() {
    Map<String, Encoder> all = new HashMap<>();
    IntegerEncoder.register(all);
    FloatEncoder.register(all);
    CompareEncoder.register(all);
    MoveEncoder.register(all);
    MemoryEncoder.register(all);
    ImageEncoder.register(all);
    ControlEncoder.register(all);
    return Map.copyOf(all);
  }
}
