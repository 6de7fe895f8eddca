package io.sluice.testbed.workloads;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Gdev's mmul: the product of two n by n matrices of unsigned words, without shared memory. */
public final class WordProduct implements Workload {
  private static final int BLOCK = 16;

  private final int n;
  private final int[] a;
  private final int[] b;

  /**
   * @param n rows and columns
   */
  public WordProduct(int n) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(n);
    this.n = n;
    this.a = random.ints((long) n * n).toArray();
    this.b = random.ints((long) n * n).toArray();
  }

  @Override
  public String name() {
    return "multiply " + n + "x" + n;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(new Buffer("a", a), new Buffer("b", b), new Buffer("c", new int[n * n]));
  }

  @Override
  public List<Launch> launches() {
    int blocks = (n + BLOCK - 1) / BLOCK;
    return List.of(
        new Launch(
            Kernels.of("mmul", "multiply"),
            blocks,
            blocks,
            BLOCK,
            BLOCK,
            List.of(Argument.of("a"), Argument.of("b"), Argument.of("c"), Argument.of(n))));
  }

  @Override
  public List<Expected> expected() {
    int[] c = new int[n * n];
    multiply(n, a, b, c);
    return List.of(new Expected("c", c, 0));
  }

  /** The plain loop. */
  static void multiply(int n, int[] a, int[] b, int[] c) {
    for (int row = 0; row < n; row++) {
      for (int column = 0; column < n; column++) {
        int sum = 0;
        for (int k = 0; k < n; k++) {
          sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
      }
    }
  }
}
