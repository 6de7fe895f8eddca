package io.sluice.abi.rm;

/**
 * Entries and methods of Hopper's channels, as far as Sluice itself submits work. Sources:
 * clc86f.h, clc8b5.h.
 */
public final class HopperMethods {
  /** Subchannel of the host methods. */
  public static final int SUBCHANNEL_HOST = 0;

  /** Subchannel that the copy class is bound to. */
  public static final int SUBCHANNEL_COPY = 4;

  /** Binds a class number to a subchannel. */
  public static final int SET_OBJECT = 0x000;

  /** Host: any value raises the engine's non-stall interrupt. */
  public static final int NON_STALL_INTERRUPT = 0x020;

  /** Host: five words, address low and high, payload low and high, execute. */
  public static final int SEM_ADDR_LO = 0x05c;

  /** Words from {@link #SEM_ADDR_LO} on. */
  public static final int SEM_WORDS = 5;

  /** {@link #SEM_ADDR_LO}, execute: where it says what is done. */
  public static final int SEM_OPERATION = 7;

  /** {@link #SEM_ADDR_LO}, execute: waits for the payload. */
  public static final int SEM_ACQUIRE = 0;

  /** Execute: waits for no less than the payload, without sign. */
  public static final int SEM_ACQUIRE_AT_LEAST = 2;

  /** Execute: waits for the payload or what comes after it, around. */
  public static final int SEM_ACQUIRE_CIRCULAR = 3;

  /** Execute: waits for a bit of the payload. */
  public static final int SEM_ACQUIRE_AND = 4;

  /** Execute: waits for a bit that neither it nor the payload has. */
  public static final int SEM_ACQUIRE_NOR = 5;

  /** Execute: stores the payload. */
  public static final int SEM_RELEASE = 1;

  /** {@link #SEM_ADDR_LO}, execute: combines the payload with what is there. */
  public static final int SEM_REDUCTION = 6;

  /** {@link #SEM_REDUCTION}: adds. */
  public static final int SEM_REDUCTION_ADD = 5 << 27;

  /** {@link #SEM_REDUCTION}: without a sign. */
  public static final int SEM_REDUCTION_UNSIGNED = 1 << 31;

  /** Execute: another group may run while this one waits. */
  public static final int SEM_ACQUIRE_SWITCH = 1 << 12;

  /** Execute: releases once all before has finished, writes included. */
  public static final int SEM_WAIT_FOR_IDLE = 1 << 20;

  /** Execute: the payload has 64 bits. */
  public static final int SEM_PAYLOAD_64 = 1 << 24;

  /** Host: waits until the engine is idle, which has a class bound; otherwise the channel ends. */
  public static final int WAIT_FOR_IDLE = 0x078;

  /** {@link #WAIT_FOR_IDLE}: for what any subcontext of the group has begun. */
  public static final int ALL_SUBCONTEXTS = 1;

  /** Copy: four words, source high and low, destination high and low. */
  public static final int COPY_OFFSET_IN_UPPER = 0x400;

  /** Copy: two words, destination high and low. */
  public static final int COPY_OFFSET_OUT_UPPER = 0x408;

  /** Copy: three words, two constants, and what is made of them. */
  public static final int COPY_REMAP_CONST_A = 0x700;

  /** {@link #COPY_REMAP_CONST_A}, third word: one component of 4 bytes, which is constant A. */
  public static final int REMAP_ONE_WORD = 4 | 3 << 16;

  /** Copy: bytes of a line. */
  public static final int COPY_LINE_LENGTH = 0x418;

  /** Copy: lines. */
  public static final int COPY_LINE_COUNT = 0x41c;

  /** Copy: starts. */
  public static final int COPY_LAUNCH_DMA = 0x300;

  /** {@link #COPY_LAUNCH_DMA}: after what was launched before. */
  public static final int LAUNCH_NON_PIPELINED = 2;

  /** Launch: what was written is visible when it ends. */
  public static final int LAUNCH_FLUSH = 1 << 2;

  /** Launch: the source is linear. */
  public static final int LAUNCH_SOURCE_PITCH = 1 << 7;

  /** Launch: the destination is linear. */
  public static final int LAUNCH_DESTINATION_PITCH = 1 << 8;

  /** Launch: stores components of {@link #COPY_REMAP_CONST_A}; a line's length counts those. */
  public static final int LAUNCH_REMAP = 1 << 10;

  /** Ring entries and pushbuffers are addressed with so many bits. */
  public static final int PUSHBUFFER_ADDRESS_BITS = 40;

  private static final int LENGTH_SHIFT = 42;
  private static final int LENGTH_MASK = 0x1f_ffff;

  private HopperMethods() {}

  /** The header of {@code count} words for consecutive methods. */
  public static int header(int subchannel, int method, int count) {
    return 1 << 29 | count << 16 | subchannel << 13 | method >>> 2;
  }

  /** A ring entry: {@code words} words of pushbuffer at an address. */
  public static long entry(long address, int words) {
    return (address & ~3L) | (long) words << LENGTH_SHIFT;
  }

  /** The pushbuffer's address in a ring entry. */
  public static long address(long entry) {
    return entry & (1L << PUSHBUFFER_ADDRESS_BITS) - 1 & ~3L;
  }

  /** The words of pushbuffer that a ring entry names. */
  public static int words(long entry) {
    return (int) (entry >>> LENGTH_SHIFT) & LENGTH_MASK;
  }

  /**
   * Whether a semaphore has what an acquire waits for.
   *
   * @param operation of the execute word
   * @param value what the semaphore has
   * @param payload what the acquire names
   * @param wide whether both have 64 bits
   */
  public static boolean isSatisfied(int operation, long value, long payload, boolean wide) {
    long mask = wide ? -1 : 0xffff_ffffL;
    return switch (operation) {
      case SEM_ACQUIRE -> value == payload;
      case SEM_ACQUIRE_AT_LEAST -> Long.compareUnsigned(value, payload) >= 0;
      case SEM_ACQUIRE_CIRCULAR -> wide ? value - payload >= 0 : (int) value - (int) payload >= 0;
      case SEM_ACQUIRE_AND -> (value & payload) != 0;
      case SEM_ACQUIRE_NOR -> (~(value | payload) & mask) != 0;
      default -> true;
    };
  }
}
