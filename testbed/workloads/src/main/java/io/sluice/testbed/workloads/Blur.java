package io.sluice.testbed.workloads;

import java.util.List;
import java.util.Optional;

/**
 * blur: a convolution of 3 by 3 over an image of floats that is a texture. The reference adds up in
 * the same order with the same fused operations, so the result is the same to the bit.
 */
public final class Blur implements Workload {
  private static final int BLOCK = 16;
  private static final int SIDE = 3;

  private final int width;
  private final int height;
  private final float[] image;
  private final float[] weights;

  /**
   * @param width points of a line, a multiple of 8
   * @param height lines
   */
  public Blur(int width, int height) {
    this.width = width;
    this.height = height;
    this.image = Floats.random(width * height, 0, 1, 1);
    this.weights = Floats.random(SIDE * SIDE, 0, 1, 2);
  }

  @Override
  public String name() {
    return "blur " + width + "x" + height;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(
        new Buffer("image", Floats.words(image)),
        new Buffer("weights", Floats.words(weights)),
        new Buffer("out", new int[width * height]));
  }

  @Override
  public Optional<Texture> texture() {
    return Optional.of(new Texture("image", width, height));
  }

  @Override
  public List<Launch> launches() {
    return List.of(
        new Launch(
            Kernels.of("blur", "blur"),
            (width + BLOCK - 1) / BLOCK,
            (height + BLOCK - 1) / BLOCK,
            BLOCK,
            BLOCK,
            List.of(
                Argument.of("weights"),
                Argument.of("out"),
                Argument.of(width),
                Argument.of(height))));
  }

  @Override
  public List<Expected> expected() {
    float[] out = new float[width * height];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        float sum = 0;
        for (int k = 0; k < SIDE * SIDE; k++) {
          sum = Math.fma(point(x + k % SIDE - 1, y + k / SIDE - 1), weights[k], sum);
        }
        out[y * width + x] = sum;
      }
    }
    return List.of(new Expected("out", Floats.words(out), 0));
  }

  private float point(int x, int y) {
    return image[Math.clamp(y, 0, height - 1) * width + Math.clamp(x, 0, width - 1)];
  }
}
