package io.sluice.testbed.workloads;

import java.util.List;

/**
 * Rodinia's backprop: the two kernels of a training step of a network with 16 hidden units. What
 * the host does between them is left out: the deltas are made up.
 */
public final class Backpropagation implements Workload {
  /** Input units of Rodinia's default. */
  public static final int DEFAULT_INPUTS = 65536;

  private static final int HIDDEN = 16;
  private static final int HEIGHT = 16;
  private static final double RATE = 0.3;

  private final int inputs;
  private final float[] input;
  private final float[] weights;
  private final float[] deltas;
  private final float[] changes;

  /**
   * @param inputs input units, a multiple of 16
   */
  public Backpropagation(int inputs) {
    if (inputs <= 0 || inputs % HEIGHT != 0) {
      throw new IllegalArgumentException("not a multiple of 16, inputs=" + inputs);
    }
    this.inputs = inputs;
    int count = (inputs + 1) * (HIDDEN + 1);
    this.input = Floats.random(inputs + 1, 0, 1, 5);
    this.weights = Floats.random(count, -1, 1, 6);
    this.deltas = Floats.random(HIDDEN + 1, -1, 1, 7);
    this.changes = Floats.random(count, -0.1f, 0.1f, 8);
  }

  @Override
  public String name() {
    return "backprop " + inputs;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(
        new Buffer("input", Floats.words(input)),
        new Buffer("output", new int[HIDDEN + 1]),
        new Buffer("products", Floats.words(weights)),
        new Buffer("partial", new int[inputs / HEIGHT * HIDDEN]),
        new Buffer("delta", Floats.words(deltas)),
        new Buffer("weights", Floats.words(weights)),
        new Buffer("changes", Floats.words(changes)));
  }

  @Override
  public List<Launch> launches() {
    int blocks = inputs / HEIGHT;
    Launch forward =
        new Launch(
            Kernels.of("backprop", "layerforward"),
            1,
            blocks,
            HIDDEN,
            HEIGHT,
            List.of(
                Argument.of("input"),
                Argument.of("output"),
                Argument.of("products"),
                Argument.of("partial"),
                Argument.of(inputs),
                Argument.of(HIDDEN)));
    Launch adjust =
        new Launch(
            Kernels.of("backprop", "adjust_weights"),
            1,
            blocks,
            HIDDEN,
            HEIGHT,
            List.of(
                Argument.of("delta"),
                Argument.of(HIDDEN),
                Argument.of("input"),
                Argument.of(inputs),
                Argument.of("weights"),
                Argument.of("changes")));
    return List.of(forward, adjust);
  }

  @Override
  public List<Expected> expected() {
    float[] products = weights.clone();
    float[] partial = new float[inputs / HEIGHT * HIDDEN];
    for (int block = 0; block < inputs / HEIGHT; block++) {
      forward(products, partial, block);
    }
    float[] newWeights = weights.clone();
    float[] newChanges = changes.clone();
    for (int unit = 1; unit <= inputs; unit++) {
      for (int hidden = 1; hidden <= HIDDEN; hidden++) {
        int index = unit * (HIDDEN + 1) + hidden;
        adjust(newWeights, newChanges, index, RATE * deltas[hidden] * input[unit]);
      }
    }
    for (int hidden = 1; hidden <= HIDDEN; hidden++) {
      adjust(newWeights, newChanges, hidden, RATE * deltas[hidden]);
    }
    return List.of(
        new Expected("products", Floats.words(products), 0),
        new Expected("partial", Floats.words(partial), 0),
        new Expected("weights", Floats.words(newWeights), 0),
        new Expected("changes", Floats.words(newChanges), 0));
  }

  /** Multiplies a block's weights and adds rows up in pairs, then pairs of pairs. */
  private void forward(float[] products, float[] partial, int block) {
    float[][] matrix = new float[HEIGHT][HIDDEN];
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < HIDDEN; x++) {
        int unit = HEIGHT * block + y + 1;
        matrix[y][x] = products[unit * (HIDDEN + 1) + x + 1] * input[unit];
      }
    }
    for (int step = 2; step <= HEIGHT; step *= 2) {
      for (int y = 0; y < HEIGHT; y += step) {
        for (int x = 0; x < HIDDEN; x++) {
          matrix[y][x] += matrix[y + step / 2][x];
        }
      }
    }
    for (int y = 0; y < HEIGHT; y++) {
      int unit = HEIGHT * block + y + 1;
      System.arraycopy(matrix[y], 0, products, unit * (HIDDEN + 1) + 1, HIDDEN);
      partial[block * HIDDEN + y] = matrix[0][y];
    }
  }

  private static void adjust(float[] weights, float[] changes, int index, double gain) {
    double change = Math.fma(RATE, (double) changes[index], gain);
    weights[index] = (float) (weights[index] + change);
    changes[index] = (float) change;
  }
}
