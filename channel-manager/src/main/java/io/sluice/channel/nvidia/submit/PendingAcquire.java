package io.sluice.channel.nvidia.submit;

import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * The semaphore that a channel waits for which has not finished what it fetched: RM tells that a
 * channel is not idle, not why. The last entries that were fetched are read as the GPU reads them,
 * and the semaphores of their acquires compared. The guest can write there what it likes, and
 * deceives itself alone: this says what a channel that does not get on is doing, not whether it
 * does.
 */
public final class PendingAcquire {
  /** Entries that may have been fetched behind the one that waits, and that one. */
  public static final int ENTRIES = 2;

  /** Words of an entry that are looked at. */
  private static final int MAX_WORDS = 1 << 14;

  private static final int PAGE_WORDS = (int) (GuestLimits.PAGE_BYTES / Integer.BYTES);

  // Kinds of headers. Source: clc86f.h.
  private static final int INCREASING = 1;
  private static final int NOT_INCREASING = 3;
  private static final int IMMEDIATE = 4;
  private static final int INCREASING_ONCE = 5;

  private final PeekedMemory space;
  private final int[] semaphore = new int[HopperMethods.SEM_WORDS];

  // The header that counts: values that are left of it, for which method.
  private int kind;
  private int method;
  private int left;

  /** Whether all words until now could be had, and made sense. */
  private boolean readable = true;

  /** The memory of an address space of the GPU. */
  public interface PeekedMemory {
    /**
     * Copies what is at an address, as the GPU would see it.
     *
     * @param into no more than is left of the page
     * @return false when there is nothing that can be read
     */
    boolean peek(long address, MemorySegment into);
  }

  private PendingAcquire(PeekedMemory space) {
    this.space = space;
  }

  /**
   * The address of a semaphore that does not have the value it is waited for; empty when none was
   * found.
   *
   * @param entries the last {@link #ENTRIES} that were fetched, in order
   */
  public static OptionalLong find(PeekedMemory space, long... entries) {
    for (long entry : entries) {
      long found = new PendingAcquire(space).search(entry);
      if (found != 0) {
        return OptionalLong.of(found);
      }
    }
    return OptionalLong.empty();
  }

  /** The address of the first such semaphore of an entry, or 0. */
  private long search(long entry) {
    long address = HopperMethods.address(entry);
    int words = Math.min(HopperMethods.words(entry), MAX_WORDS);
    long found = 0;
    int at = 0;
    while (at < words && found == 0 && readable) {
      long from = address + (long) at * Integer.BYTES;
      int here = PAGE_WORDS - (int) (from % GuestLimits.PAGE_BYTES / Integer.BYTES);
      int[] page = new int[Math.min(here, words - at)];
      readable = space.peek(from, MemorySegment.ofArray(page));
      for (int i = 0; i < page.length && found == 0 && readable; i++) {
        found = left > 0 ? value(page[i]) : header(page[i]);
      }
      at += page.length;
    }
    return found;
  }

  /** A word that says what follows. */
  private long header(int word) {
    kind = word >>> 29;
    method = (word & 0xfff) << 2;
    left = word >>> 16 & 0x1fff;
    if (kind == IMMEDIATE) {
      int value = left;
      left = 0;
      return method(method, value);
    }
    readable = word == 0 || kind == INCREASING || kind == NOT_INCREASING || kind == INCREASING_ONCE;
    return 0;
  }

  private long value(int word) {
    long found = method(method, word);
    left--;
    method += kind == NOT_INCREASING ? 0 : Integer.BYTES;
    kind = kind == INCREASING_ONCE ? NOT_INCREASING : kind;
    return found;
  }

  /** A method of the host, on any subchannel: the semaphore's address if it is waited for. */
  private long method(int method, int value) {
    int index = (method - HopperMethods.SEM_ADDR_LO) / Integer.BYTES;
    if (method < HopperMethods.SEM_ADDR_LO || index >= semaphore.length) {
      return 0;
    }
    semaphore[index] = value;
    boolean execute = index == semaphore.length - 1;
    return execute && waits(value) ? wide(0) : 0;
  }

  private long wide(int index) {
    return Integer.toUnsignedLong(semaphore[index]) | (long) semaphore[index + 1] << Integer.SIZE;
  }

  private boolean waits(int execute) {
    int operation = execute & HopperMethods.SEM_OPERATION;
    if (operation == HopperMethods.SEM_RELEASE || operation == HopperMethods.SEM_REDUCTION) {
      return false;
    }
    boolean wide = (execute & HopperMethods.SEM_PAYLOAD_64) != 0;
    MemorySegment there = MemorySegment.ofArray(new long[1]);
    if (!space.peek(wide(0), there.asSlice(0, wide ? Long.BYTES : Integer.BYTES))) {
      return false;
    }
    long has = there.get(Layouts.U64, 0);
    return !HopperMethods.isSatisfied(
        operation, has, wide ? wide(2) : Integer.toUnsignedLong(semaphore[2]), wide);
  }
}
