package io.sluice.channel.nvidia.relay.ring;

import io.sluice.abi.rm.HopperMethods;
import java.util.Arrays;

/**
 * The methods by which a program has set a channel up, in their order: what a channel that is made
 * anew must be told before it goes on. Launches, data, semaphores and invalidations are left out;
 * behind each piece of pushbuffer its engine is waited for, since some are answered by firmware.
 *
 * <p>Which methods these are was found by running programs on channels made anew; the numbers are
 * of clcbc0.h and clc8b5.h.
 */
public final class StateMethods {
  /** Most words that are kept of a channel; a CUDA context has some 260. */
  static final int MOST_WORDS = 8192;

  private static final int COMPUTE = 1;
  private static final int COPY = 4;
  private static final int FIRST_OF_ENGINES = 0x100;
  private static final int WAIT_FOR_IDLE = 0x110;
  private static final int FIRST_OF_MACROS = 0x3800;

  /** Ranges of compute methods that are no state, first and last. */
  private static final int[][] STATELESS = {
    {0x100, 0x100}, // no operation
    {0x180, 0x1bc}, // inline data
    {0x21c, 0x21c}, // invalidations
    {0x2b0, 0x2c0}, // launches
    {0x1338, 0x1338}, // invalidations
    {0x1698, 0x1698},
    {0x1b00, 0x1b0c}, // semaphores
  };

  private static final int FIRST_WORDS = 64;

  private int[] words = new int[FIRST_WORDS];
  private int count;
  private boolean overflown;

  /** Notes what a piece of pushbuffer sets. */
  void add(int[] piece, int length) {
    boolean computes = false;
    for (int at = 0; at < length; ) {
      int header = piece[at];
      int operation = header >>> 29;
      boolean hasWords = operation == 1 || operation == 3 || operation == 5;
      int whole = hasWords ? 1 + (header >>> 16 & 0x1fff) : 1;
      if (at + whole > length) {
        break;
      }
      if (header != 0 && isState(header >>> 13 & 7, (header & 0x1fff) << 2)) {
        append(piece, at, whole);
        computes |= (header >>> 13 & 7) == COMPUTE;
      }
      at += whole;
    }
    if (computes) {
      append(new int[] {HopperMethods.header(COMPUTE, WAIT_FOR_IDLE, 1), 0}, 0, 2);
    }
  }

  private static boolean isState(int subchannel, int method) {
    if (subchannel > COPY || method != 0 && method < FIRST_OF_ENGINES) {
      return false;
    }
    if (subchannel == COPY) {
      return method == 0; // which class it is bound to
    }
    if (subchannel != COMPUTE) {
      return true;
    }
    return method < FIRST_OF_MACROS
        && Arrays.stream(STATELESS).noneMatch(each -> method >= each[0] && method <= each[1]);
  }

  private void append(int[] from, int at, int length) {
    if (overflown || count + length > MOST_WORDS) {
      overflown = true;
      return;
    }
    if (count + length > words.length) {
      words = Arrays.copyOf(words, Math.max(words.length * 2, count + length));
    }
    System.arraycopy(from, at, words, count, length);
    count += length;
  }

  /** Forgets all: what there was is not known. */
  void giveUp() {
    overflown = true;
    words = new int[FIRST_WORDS];
    count = 0;
  }

  /** The heap that it takes up beyond that of one that has seen nothing. */
  long moreHeapBytes() {
    return (long) (words.length - FIRST_WORDS) * Integer.BYTES;
  }

  /** Whether there was more than is kept. */
  boolean isOverflown() {
    return overflown;
  }

  /** All words, in order. */
  int[] words() {
    return Arrays.copyOf(words, count);
  }
}
