package io.sluice.gpu;

import java.util.Arrays;
import java.util.stream.Stream;

/** Pushbuffer words, cl906f.h. */
final class Words {
  private Words() {}

  static int increasing(int subchannel, int method, int count) {
    return 1 << 29 | count << 16 | subchannel << 13 | method >> 2;
  }

  static int constant(int subchannel, int method, int count) {
    return 3 << 29 | count << 16 | subchannel << 13 | method >> 2;
  }

  static int immediate(int subchannel, int method, int data) {
    return 4 << 29 | data << 16 | subchannel << 13 | method >> 2;
  }

  static int onceIncreasing(int subchannel, int method, int count) {
    return 5 << 29 | count << 16 | subchannel << 13 | method >> 2;
  }

  /** A method and its word. */
  static int[] one(int subchannel, int method, int data) {
    return new int[] {increasing(subchannel, method, 1), data};
  }

  /** A semaphore operation of the host. */
  static int[] semaphore(long address, int payload, int operation) {
    return new int[] {
      increasing(0, 0x10, 4), (int) (address >>> 32), (int) address, payload, operation
    };
  }

  /** Hexadecimal words, separated by blanks. */
  static int[] parse(String words) {
    return Stream.of(words.trim().split("\\s+"))
        .mapToInt(word -> Integer.parseUnsignedInt(word, 16))
        .toArray();
  }

  static int[] join(int[]... parts) {
    return Stream.of(parts).flatMapToInt(Arrays::stream).toArray();
  }
}
