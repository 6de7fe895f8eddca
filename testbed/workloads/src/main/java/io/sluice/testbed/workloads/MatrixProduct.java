package io.sluice.testbed.workloads;

import java.util.List;

/**
 * mmul: the product of two n by n matrices of floats, in tiles of 16 by 16. The reference adds up
 * in the same order with the same fused operations, so the result is the same to the bit.
 */
public final class MatrixProduct implements Workload {
  private static final int TILE = 16;

  private final int n;
  private final float[] a;
  private final float[] b;

  /**
   * @param n rows and columns, a multiple of 16
   */
  public MatrixProduct(int n) {
    if (n <= 0 || n % TILE != 0) {
      throw new IllegalArgumentException("not a multiple of 16, n=" + n);
    }
    this.n = n;
    this.a = Floats.random(n * n, -1, 1, 1);
    this.b = Floats.random(n * n, -1, 1, 2);
  }

  @Override
  public String name() {
    return "mmul " + n + "x" + n;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(
        new Buffer("a", Floats.words(a)),
        new Buffer("b", Floats.words(b)),
        new Buffer("c", new int[n * n]));
  }

  @Override
  public List<Launch> launches() {
    return List.of(
        new Launch(
            Kernels.of("mmul", "mmul"),
            n / TILE,
            n / TILE,
            TILE,
            TILE,
            List.of(Argument.of("a"), Argument.of("b"), Argument.of("c"), Argument.of(n))));
  }

  @Override
  public List<Expected> expected() {
    float[] c = new float[n * n];
    multiply(n, a, b, c);
    return List.of(new Expected("c", Floats.words(c), 0));
  }

  /** The plain loop: row by row, each sum in the order of the columns. */
  static void multiply(int n, float[] a, float[] b, float[] c) {
    for (int row = 0; row < n; row++) {
      for (int column = 0; column < n; column++) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
          sum = Math.fma(a[row * n + k], b[k * n + column], sum);
        }
        c[row * n + column] = sum;
      }
    }
  }
}
