package io.sluice.testbed.workloads;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Arrays of floats as words, as buffers hold them. */
final class Floats {
  private Floats() {}

  /** Numbers between two bounds, the same for the same seed. */
  static float[] random(int count, float least, float most, long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.nextFloat(least, most);
    }
    return values;
  }

  static int[] words(float[] values) {
    int[] words = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      words[i] = Float.floatToRawIntBits(values[i]);
    }
    return words;
  }
}
