package io.sluice.testbed.workloads;

import io.sluice.testbed.workloads.asm.Kernel;
import java.util.ArrayList;
import java.util.List;

/**
 * Rodinia's lud: the LU decomposition of an n by n matrix of floats, in place. The reference takes
 * the same steps, but divides exactly where the kernels multiply by a reciprocal and correct once.
 */
public final class LuDecomposition implements Workload {
  private static final int TILE = 16;

  /** Quotients may differ by a unit in the last place, and pass that on. */
  private static final int ULPS = 64;

  private final int n;
  private final float[] matrix;

  /**
   * @param n rows and columns, a multiple of 16
   */
  public LuDecomposition(int n) {
    if (n <= 0 || n % TILE != 0) {
      throw new IllegalArgumentException("not a multiple of 16, n=" + n);
    }
    this.n = n;
    this.matrix = matrix(n);
  }

  /** As in Rodinia: a product of triangular matrices, so that it can be decomposed. */
  private static float[] matrix(int n) {
    float[] coefficients = new float[2 * n - 1];
    for (int i = 0; i < n; i++) {
      float value = (float) (10.0 * Math.exp(-0.001 * i));
      coefficients[n - 1 + i] = value;
      coefficients[n - 1 - i] = value;
    }
    float[] matrix = new float[n * n];
    for (int row = 0; row < n; row++) {
      System.arraycopy(coefficients, n - 1 - row, matrix, row * n, n);
    }
    return matrix;
  }

  @Override
  public String name() {
    return "lud " + n + "x" + n;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(new Buffer("m", Floats.words(matrix)));
  }

  @Override
  public List<Launch> launches() {
    Kernel diagonal = Kernels.of("lud", "lud_diagonal");
    Kernel perimeter = Kernels.of("lud", "lud_perimeter");
    Kernel internal = Kernels.of("lud", "lud_internal");
    List<Launch> launches = new ArrayList<>();
    for (int offset = 0; offset < n; offset += TILE) {
      List<Argument> arguments = List.of(Argument.of("m"), Argument.of(n), Argument.of(offset));
      launches.add(new Launch(diagonal, 1, 1, TILE, 1, arguments));
      int rest = (n - offset) / TILE - 1;
      if (rest > 0) {
        launches.add(new Launch(perimeter, rest, 1, 2 * TILE, 1, arguments));
        launches.add(new Launch(internal, rest, rest, TILE, TILE, arguments));
      }
    }
    return launches;
  }

  @Override
  public List<Expected> expected() {
    float[] m = matrix.clone();
    for (int offset = 0; offset < n; offset += TILE) {
      decomposeTile(m, offset);
      solveTiles(m, offset);
      subtractProducts(m, offset);
    }
    return List.of(new Expected("m", Floats.words(m), ULPS));
  }

  private void decomposeTile(float[] m, int offset) {
    for (int i = offset; i < offset + TILE; i++) {
      for (int row = i + 1; row < offset + TILE; row++) {
        float value = m[row * n + i];
        for (int j = offset; j < i; j++) {
          value = Math.fma(-m[row * n + j], m[j * n + i], value);
        }
        m[row * n + i] = value / m[i * n + i];
      }
      if (i + 1 == offset + TILE) {
        return;
      }
      for (int column = i + 1; column < offset + TILE; column++) {
        float value = m[(i + 1) * n + column];
        for (int j = offset; j <= i; j++) {
          value = Math.fma(-m[(i + 1) * n + j], m[j * n + column], value);
        }
        m[(i + 1) * n + column] = value;
      }
    }
  }

  private void solveTiles(float[] m, int offset) {
    for (int other = offset + TILE; other < n; other++) {
      for (int i = offset; i < offset + TILE; i++) {
        float right = m[i * n + other];
        float below = m[other * n + i];
        for (int j = offset; j < i; j++) {
          right = Math.fma(-m[i * n + j], m[j * n + other], right);
          below = Math.fma(-m[other * n + j], m[j * n + i], below);
        }
        m[i * n + other] = right;
        m[other * n + i] = below / m[i * n + i];
      }
    }
  }

  private void subtractProducts(float[] m, int offset) {
    for (int row = offset + TILE; row < n; row++) {
      for (int column = offset + TILE; column < n; column++) {
        float sum = 0;
        for (int i = offset; i < offset + TILE; i++) {
          sum = Math.fma(m[row * n + i], m[i * n + column], sum);
        }
        m[row * n + column] -= sum;
      }
    }
  }
}
