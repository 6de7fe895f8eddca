package io.sluice.gpu.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The words an object class remembers from its methods, addressed by method. Which ones a class has
 * is fixed by the class, so that no guest decides how much there is to save.
 */
final class MethodRegisters {
  private final int first;
  private final int[] values;

  /**
   * @param firstMethod lowest method
   * @param lastMethod highest method
   */
  MethodRegisters(int firstMethod, int lastMethod) {
    first = firstMethod;
    values = new int[((lastMethod - firstMethod) >> 2) + 1];
  }

  void set(int method, int data) {
    values[(method - first) >> 2] = data;
  }

  int get(int method) {
    return values[(method - first) >> 2];
  }

  /** The word as an unsigned number. */
  long unsigned(int method) {
    return Integer.toUnsignedLong(get(method));
  }

  /** The address whose upper word is at a method and whose lower word is at the next one. */
  long address(int highMethod) {
    return unsigned(highMethod) << 32 | unsigned(highMethod + 4);
  }

  /** Writes {@code u32 count} and that many pairs of {@code u32 method, u32 value}. */
  void save(ByteBuffer to) {
    int countAt = to.position();
    to.putInt(0);
    int count = 0;
    for (int i = 0; i < values.length; i++) {
      if (values[i] != 0) {
        to.putInt(first + i * 4).putInt(values[i]);
        count++;
      }
    }
    to.putInt(countAt, count);
  }

  void restore(ByteBuffer from) {
    Arrays.fill(values, 0);
    int count = from.getInt();
    for (int i = 0; i < count; i++) {
      int method = from.getInt();
      int index = (method - first) >> 2;
      if ((method & 3) != 0 || index < 0 || index >= values.length) {
        throw new IllegalArgumentException("no such method register, method=" + method);
      }
      values[index] = from.getInt();
    }
  }
}
