package io.sluice.testbed.demo;

/**
 * The sizes of what the guest does.
 *
 * @param copyBytes what is copied
 * @param mmul rows of the matrices that are multiplied; 0 leaves that out
 * @param lud rows of the matrix that is decomposed; 0 leaves that out
 * @param blur lines of the image that is blurred, a texture; 0 leaves that out
 */
record Sizes(long copyBytes, int mmul, int lud, int blur) {
  /** That of one program. */
  int of(ComputeProgram program) {
    return switch (program) {
      case MMUL -> mmul;
      case LUD -> lud;
      case BLUR -> blur;
    };
  }

  /** Whether anything is computed. */
  boolean computes() {
    return mmul + lud + blur > 0;
  }
}
