package io.sluice.testbed.demo;

import java.util.Locale;

/** The programs that compute, and what each does. */
enum ComputeProgram {
  MMUL("multiplies two matrices of %1$d x %1$d"),
  LUD("decomposes a matrix of %1$d x %1$d (LU)"),
  BLUR("blurs an image of %1$d x %1$d");

  private final String does;

  ComputeProgram(String does) {
    this.does = does;
  }

  /** Its name, in guests as in this process. */
  String program() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@code mmul multiplies two matrices of 1024 x 1024}. */
  String sentence(int size) {
    return program() + " " + String.format(Locale.ROOT, does, size);
  }
}
