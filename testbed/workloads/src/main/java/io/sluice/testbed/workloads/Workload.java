package io.sluice.testbed.workloads;

import io.sluice.testbed.workloads.asm.Kernel;
import java.util.List;
import java.util.Optional;

/** Work for a GPU: buffers, launches in order, and what must come out. */
public interface Workload {
  /** Its name and size, for people. */
  String name();

  /** Its buffers. */
  List<Buffer> buffers();

  /** The texture of slot 0, and its sampler. */
  default Optional<Texture> texture() {
    return Optional.empty();
  }

  /** What is launched, in order; each launch sees what those before it stored. */
  List<Launch> launches();

  /** What it must compute. */
  List<Expected> expected();

  /**
   * A buffer of floats as a texture of two dimensions, line after line: filtered, its coordinates
   * in texels, with the closest texel for one beyond the edge.
   *
   * @param buffer its name
   * @param width texels of a line, a multiple of 8
   * @param height lines
   */
  record Texture(String buffer, int width, int height) {
    public Texture {
      if (width <= 0 || width % 8 != 0 || height <= 0) {
        throw new IllegalArgumentException("no texture, size=" + width + "x" + height);
      }
    }
  }

  /**
   * A buffer of 32-bit words.
   *
   * @param name its name
   * @param words what is in it at first
   */
  @SuppressWarnings("ArrayRecordComponent") // Filled and read as a whole.
  record Buffer(String name, int[] words) {}

  /**
   * What a buffer must hold at the end.
   *
   * @param buffer its name
   * @param words the reference's result
   * @param ulps how far a float may be from it, in units in its last place; 0 compares words
   */
  @SuppressWarnings("ArrayRecordComponent") // Filled and read as a whole.
  record Expected(String buffer, int[] words, int ulps) {
    /** Index of the first word that is too far away, or -1. */
    public int firstWrong(int[] actual) {
      for (int i = 0; i < words.length; i++) {
        if (distance(words[i], actual[i]) > ulps) {
          return i;
        }
      }
      return -1;
    }

    /** The largest distance of a word from the reference. */
    public long largestDistance(int[] actual) {
      long largest = 0;
      for (int i = 0; i < words.length; i++) {
        largest = Math.max(largest, distance(words[i], actual[i]));
      }
      return largest;
    }

    /** Steps between two floats, by their bits. */
    private static long distance(int a, int b) {
      return Math.abs(ordered(a) - ordered(b));
    }

    /** Bits of floats as numbers in the same order, both zeros the same. */
    private static long ordered(int bits) {
      return bits >= 0 ? bits : (long) Integer.MIN_VALUE - bits;
    }
  }

  /**
   * A kernel, its shape and its arguments.
   *
   * @param kernel what runs
   * @param gridX blocks in x
   * @param gridY blocks in y
   * @param blockX threads in x
   * @param blockY threads in y
   * @param arguments in the order of the kernel's parameters
   */
  record Launch(
      Kernel kernel, int gridX, int gridY, int blockX, int blockY, List<Argument> arguments) {
    public Launch {
      arguments = List.copyOf(arguments);
    }
  }

  /** The value of a parameter. */
  sealed interface Argument {
    /** The address of a buffer. */
    record Address(String buffer) implements Argument {}

    /** A word. */
    record Word(int value) implements Argument {}

    /** Where a buffer is. */
    static Argument of(String buffer) {
      return new Address(buffer);
    }

    /** An integer. */
    static Argument of(int value) {
      return new Word(value);
    }

    /** A float. */
    static Argument of(float value) {
      return new Word(Float.floatToRawIntBits(value));
    }
  }
}
