package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.memory.Translator;

/**
 * The maker of what runs a grid's program, in two parts: only the first touches the grid's memory.
 */
public interface GridProgram {
  /** Every program can be interpreted. */
  GridProgram INTERPRETED =
      new GridProgram() {
        @Override
        public void read(Translator translator) {}

        @Override
        public WarpRunner.Factory make() {
          return InterpretedWarps.FACTORY;
        }
      };

  /** Reads the program. */
  void read(Translator translator);

  /** Makes what runs it; may take long. */
  WarpRunner.Factory make();
}
