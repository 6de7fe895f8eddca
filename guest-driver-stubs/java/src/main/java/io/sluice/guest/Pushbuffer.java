package io.sluice.guest;

import io.sluice.abi.GpuVa;
import java.util.Arrays;

/**
 * Words of a pushbuffer: method headers of class 906f's encoding and their data.
 *
 * <p>Subchannels as Gdev uses them: 1 compute, 2 M2MF, 3 PCOPY0.
 */
public final class Pushbuffer {
  /** Subchannel of the compute class. */
  public static final int COMPUTE = 1;

  /** Subchannel of M2MF. */
  public static final int M2MF = 2;

  /** Subchannel of PCOPY0. */
  public static final int PCOPY0 = 3;

  private static final int INCREASING = 0x2000_0000;
  private static final int M2MF_CLASS = 0x9039;
  private static final int COMPUTE_CLASS = 0x90c0;
  private static final int PCOPY0_CLASS = 0x490b5;

  private static final int SET_OBJECT = 0x000;
  private static final int SEMAPHORE_ADDRESS_HIGH = 0x010;
  private static final int NON_STALL_INTERRUPT = 0x020;
  private static final int SET_REFERENCE = 0x050;
  private static final int ACQUIRE = 1;
  private static final int ACQUIRE_GREATER_OR_EQUAL = 4;
  private static final int RELEASE = 2;
  private static final int SWITCH_WHILE_BLOCKED = 1 << 12;
  private static final int RELEASE_FOUR_BYTES = 1 << 24;

  private static final int LINE_BYTES = 4096;
  private static final int MAX_LINES = 2047;
  private static final int COPY_PITCH = 0x0010_0110;
  private static final int PCOPY_LINE_BYTES = 0x8000;
  private static final int PCOPY_MAX_LINES = 0x1fff;
  private static final int PCOPY_EXEC = 0x110;

  private int[] words = new int[256];
  private int length;

  /** Number of words. */
  public int length() {
    return length;
  }

  /** The words so far. */
  public int[] toArray() {
    return Arrays.copyOf(words, length);
  }

  /** Starts again. */
  public void clear() {
    length = 0;
  }

  /** A word at an index. */
  int word(int index) {
    return words[index];
  }

  /** One word as it is. */
  public Pushbuffer raw(int word) {
    if (length == words.length) {
      words = Arrays.copyOf(words, 2 * length);
    }
    words[length++] = word;
    return this;
  }

  /** Data for methods from one on, each four bytes further. */
  public Pushbuffer methods(int subchannel, int method, int... data) {
    header(subchannel, method, data.length);
    for (int word : data) {
      raw(word);
    }
    return this;
  }

  /** Binds M2MF, the compute class and PCOPY0 to their subchannels. */
  public Pushbuffer bindEngines() {
    return methods(M2MF, SET_OBJECT, M2MF_CLASS)
        .methods(COMPUTE, SET_OBJECT, COMPUTE_CLASS)
        .methods(PCOPY0, SET_OBJECT, PCOPY0_CLASS);
  }

  /** Stores a word once all before it is done. */
  public Pushbuffer release(GpuVa address, int payload) {
    return semaphore(address, payload, RELEASE | RELEASE_FOUR_BYTES);
  }

  /**
   * Stores 16 bytes once all before is done: the payload, 0, and GPU time in nanoseconds.
   *
   * @param address a multiple of 16
   */
  public Pushbuffer releaseWithTime(GpuVa address, int payload) {
    return semaphore(address, payload, RELEASE);
  }

  /** Waits until a word has a value; other channels run meanwhile. */
  public Pushbuffer acquire(GpuVa address, int payload) {
    return semaphore(address, payload, ACQUIRE | SWITCH_WHILE_BLOCKED);
  }

  /** Waits until a word is at least a value, wrapping. */
  public Pushbuffer acquireAtLeast(GpuVa address, int payload) {
    return semaphore(address, payload, ACQUIRE_GREATER_OR_EQUAL | SWITCH_WHILE_BLOCKED);
  }

  private Pushbuffer semaphore(GpuVa address, int payload, int operation) {
    long a = address.value();
    return header(0, SEMAPHORE_ADDRESS_HIGH, 4)
        .raw((int) (a >>> 32))
        .raw((int) a)
        .raw(payload)
        .raw(operation);
  }

  /** Raises the channel's interrupt. */
  public Pushbuffer interrupt() {
    return header(0, NON_STALL_INTERRUPT, 1).raw(0);
  }

  /** Stores a value in the control page's REFERENCE. */
  public Pushbuffer reference(int value) {
    return header(0, SET_REFERENCE, 1).raw(value);
  }

  /** The header of an increasing method; as many words of data follow. */
  private Pushbuffer header(int subchannel, int method, int words) {
    return raw(INCREASING | words << 16 | subchannel << 13 | method >> 2);
  }

  /** Copies with M2MF, in lines of 4 KiB and a rest. */
  public Pushbuffer copyM2mf(GpuVa from, GpuVa to, long bytes) {
    long source = from.value();
    long target = to.value();
    long left = bytes;
    while (left > 0) {
      int line = (int) Math.min(left, LINE_BYTES);
      int lines = line < LINE_BYTES ? 1 : (int) Math.min(left / LINE_BYTES, MAX_LINES);
      methods(M2MF, 0x238, (int) (target >>> 32), (int) target);
      methods(M2MF, 0x30c, (int) (source >>> 32), (int) source, line, line, line, lines);
      methods(M2MF, 0x300, COPY_PITCH);
      long done = (long) line * lines;
      source += done;
      target += done;
      left -= done;
    }
    return this;
  }

  /** Copies with PCOPY0, in lines of 32 KiB and a rest. */
  public Pushbuffer copyPcopy(GpuVa from, GpuVa to, long bytes) {
    long source = from.value();
    long target = to.value();
    long left = bytes;
    while (left > 0) {
      int line = (int) Math.min(left, PCOPY_LINE_BYTES);
      int lines = line < PCOPY_LINE_BYTES ? 1 : (int) Math.min(left / line, PCOPY_MAX_LINES);
      methods(
          PCOPY0,
          0x30c,
          (int) (source >>> 32),
          (int) source,
          (int) (target >>> 32),
          (int) target,
          line,
          line,
          line,
          lines);
      long done = (long) line * lines;
      methods(PCOPY0, 0x300, PCOPY_EXEC);
      source += done;
      target += done;
      left -= done;
    }
    return this;
  }
}
