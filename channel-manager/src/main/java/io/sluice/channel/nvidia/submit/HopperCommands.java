package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmClass;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Words of a pushbuffer in the making: host semaphores and copies. Not for several threads. */
public final class HopperCommands {
  /** Words of one pushbuffer at most. */
  public static final int MAX_WORDS = 1024;

  private static final int RELEASE =
      HopperMethods.SEM_RELEASE | HopperMethods.SEM_WAIT_FOR_IDLE | HopperMethods.SEM_PAYLOAD_64;

  private static final int RELEASE_32 = HopperMethods.SEM_RELEASE | HopperMethods.SEM_WAIT_FOR_IDLE;

  private static final int INCREMENT =
      HopperMethods.SEM_REDUCTION
          | HopperMethods.SEM_REDUCTION_ADD
          | HopperMethods.SEM_REDUCTION_UNSIGNED
          | HopperMethods.SEM_WAIT_FOR_IDLE;

  private static final int ACQUIRE =
      HopperMethods.SEM_ACQUIRE | HopperMethods.SEM_ACQUIRE_SWITCH | HopperMethods.SEM_PAYLOAD_64;

  private static final int LAUNCH =
      HopperMethods.LAUNCH_NON_PIPELINED
          | HopperMethods.LAUNCH_FLUSH
          | HopperMethods.LAUNCH_SOURCE_PITCH
          | HopperMethods.LAUNCH_DESTINATION_PITCH;

  private final int[] words = new int[MAX_WORDS];
  private int count;

  /** An empty pushbuffer. */
  public HopperCommands() {}

  /** Binds the copy class to its subchannel; once per channel, before the first copy. */
  public HopperCommands bindCopy() {
    return method(
        HopperMethods.SUBCHANNEL_COPY,
        HopperMethods.SET_OBJECT,
        RmClass.HOPPER_DMA_COPY_A.number());
  }

  /** Stores 64 bits once all before has finished, writes included. */
  public HopperCommands release(GpuVa address, long payload) {
    return semaphore(address, payload, RELEASE);
  }

  /** Stores 32 bits once all before has finished. */
  public HopperCommands store(GpuVa address, int word) {
    return semaphore(address, Integer.toUnsignedLong(word), RELEASE_32);
  }

  /** Adds 1 to 32 bits once all before has finished. */
  public HopperCommands increment(GpuVa address) {
    return semaphore(address, 1, INCREMENT);
  }

  /** Adds words as they are: methods with their headers. */
  public HopperCommands raw(int[] methods) {
    if (methods.length > MAX_WORDS - count) {
      throw new IllegalStateException("the pushbuffer is full, words=" + count);
    }
    System.arraycopy(methods, 0, words, count, methods.length);
    count += methods.length;
    return this;
  }

  /** Waits until 64 bits have a value; other channels may run meanwhile. */
  public HopperCommands acquire(GpuVa address, long payload) {
    return semaphore(address, payload, ACQUIRE);
  }

  private HopperCommands semaphore(GpuVa address, long payload, int execute) {
    return method(
        HopperMethods.SUBCHANNEL_HOST,
        HopperMethods.SEM_ADDR_LO,
        low(address.value()),
        high(address.value()),
        low(payload),
        high(payload),
        execute);
  }

  /** Raises the engine's non-stall interrupt. */
  public HopperCommands interrupt() {
    return method(HopperMethods.SUBCHANNEL_HOST, HopperMethods.NON_STALL_INTERRUPT, 0);
  }

  /**
   * Copies.
   *
   * @param bytes 1 to 2<sup>32</sup> minus 1
   */
  public HopperCommands copy(GpuVa from, GpuVa to, long bytes) {
    if (bytes < 1 || bytes > 0xffff_ffffL) {
      throw new IllegalArgumentException("no length of a copy, bytes=" + bytes);
    }
    int copy = HopperMethods.SUBCHANNEL_COPY;
    return method(
            copy,
            HopperMethods.COPY_OFFSET_IN_UPPER,
            high(from.value()),
            low(from.value()),
            high(to.value()),
            low(to.value()))
        .method(copy, HopperMethods.COPY_LINE_LENGTH, (int) bytes)
        .method(copy, HopperMethods.COPY_LINE_COUNT, 1)
        .method(copy, HopperMethods.COPY_LAUNCH_DMA, LAUNCH);
  }

  /**
   * Fills with zeros.
   *
   * @param bytes a multiple of 4, 4 to 2<sup>34</sup> minus 4
   */
  HopperCommands zeros(GpuVa start, long bytes) {
    if (bytes < 4 || bytes % 4 != 0 || bytes > 4 * 0xffff_ffffL) {
      throw new IllegalArgumentException("no length to fill, bytes=" + bytes);
    }
    int copy = HopperMethods.SUBCHANNEL_COPY;
    return method(
            copy, HopperMethods.COPY_OFFSET_OUT_UPPER, high(start.value()), low(start.value()))
        .method(copy, HopperMethods.COPY_LINE_LENGTH, (int) (bytes / 4))
        .method(copy, HopperMethods.COPY_LINE_COUNT, 1)
        .method(copy, HopperMethods.COPY_REMAP_CONST_A, 0, 0, HopperMethods.REMAP_ONE_WORD)
        .method(copy, HopperMethods.COPY_LAUNCH_DMA, LAUNCH | HopperMethods.LAUNCH_REMAP);
  }

  /** Stores words to consecutive methods. */
  public HopperCommands method(int subchannel, int method, int... values) {
    if (values.length >= MAX_WORDS - count) {
      throw new IllegalStateException("the pushbuffer is full, words=" + count);
    }
    words[count++] = HopperMethods.header(subchannel, method, values.length);
    System.arraycopy(values, 0, words, count, values.length);
    count += values.length;
    return this;
  }

  /** Words so far. */
  public int count() {
    return count;
  }

  /** Stores the words in memory. */
  public void storeTo(MemorySegment memory, long offset) {
    MemorySegment.copy(words, 0, memory, Layouts.U32, offset, count);
  }

  /** The words. */
  public int[] toArray() {
    return Arrays.copyOf(words, count);
  }

  /** Starts again. */
  public HopperCommands clear() {
    count = 0;
    return this;
  }

  @Override
  public String toString() {
    return Arrays.toString(toArray());
  }

  private static int low(long value) {
    return (int) value;
  }

  private static int high(long value) {
    return (int) (value >>> Integer.SIZE);
  }
}
