package io.sluice.channel.nvidia.relay.ring;

import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A channel's ring, USERD and error notifier, in pages that the program writes at the same time.
 *
 * <p>The program reads the token that it rings from the notifier, at each submission; a token that
 * rings nothing of its own has it go on writing entries, of which the GPU is not told. It stores
 * GP_PUT and never asks for it; so one that is lost is found again by the entries, for which those
 * that are free are cleared first.
 */
public final class ProgramRing {
  private static final VarHandle WORD = Layouts.U32.varHandle();
  private static final VarHandle ENTRY = Layouts.U64.varHandle();
  private static final long TOKEN = 24; // info32 of record 1
  private static final int NOTIFIER_WORDS = 12; // three records
  private static final long ERROR = 8; // info32 of record 0
  private static final long ERROR_STATUS = 12; // its info16, and its status above
  private static final int REMOVED = 45; // ROBUST_CHANNEL_PREEMPTIVE_REMOVAL

  private final MemorySegment slots;
  private final MemorySegment userd;
  private final MemorySegment notifier;
  private final int entries;

  /**
   * @param slots the ring, 8 bytes an entry
   * @param userd 512 bytes
   * @param notifier three records of 16 bytes
   */
  public ProgramRing(MemorySegment slots, MemorySegment userd, MemorySegment notifier) {
    this.slots = slots;
    this.userd = userd;
    this.notifier = notifier;
    entries = (int) (slots.byteSize() / 8);
  }

  /** How many entries the ring has. */
  public int entries() {
    return entries;
  }

  /** GP_GET: what was fetched. */
  public int get() {
    return (int) WORD.getAcquire(userd, (long) GuestAbi.USERD_GP_GET);
  }

  /** GP_PUT. */
  public int put() {
    return (int) WORD.getAcquire(userd, (long) GuestAbi.USERD_GP_PUT);
  }

  /** Stores GP_PUT. */
  public void put(int index) {
    WORD.setRelease(userd, (long) GuestAbi.USERD_GP_PUT, index);
  }

  /** Stores GP_GET, which the program alone looks at. */
  public void get(int index) {
    WORD.setRelease(userd, (long) GuestAbi.USERD_GP_GET, index);
  }

  /** An entry. */
  public long slot(int index) {
    return (long) ENTRY.getAcquire(slots, index * 8L);
  }

  /** The entries that were fetched last, in order. */
  public long[] fetched(int count) {
    int get = get();
    long[] last = new long[count];
    for (int i = 0; i < count; i++) {
      last[i] = slot(get - count + i & entries - 1);
    }
    return last;
  }

  /** The token that the program rings. */
  public int token() {
    return (int) WORD.getAcquire(notifier, TOKEN);
  }

  /** Has the program ring another one from now on, but for what it is about to ring. */
  public void token(int token) {
    WORD.setRelease(notifier, TOKEN, token);
    VarHandle.fullFence();
  }

  /** What the notifier says. */
  public int[] notifier() {
    int[] words = new int[NOTIFIER_WORDS];
    for (int i = 0; i < words.length; i++) {
      words[i] = (int) WORD.getAcquire(notifier, i * 4L);
    }
    return words;
  }

  /** Has it say that again, but for the token. */
  public void restoreNotifier(int[] words) {
    for (int i = 0; i < words.length; i++) {
      if (i * 4L != TOKEN) {
        WORD.setRelease(notifier, i * 4L, words[i]);
      }
    }
  }

  /**
   * Has the notifier say that the channel was removed, as RM says it of a channel that it ends:
   * libcuda looks there while it waits, and fails what it waits for.
   */
  public void fail() {
    WORD.setRelease(notifier, ERROR, REMOVED);
    WORD.setRelease(notifier, ERROR_STATUS, 0xffff << Short.SIZE);
  }

  /** All entries as they are. */
  public long[] slots() {
    long[] all = new long[entries];
    for (int i = 0; i < entries; i++) {
      all[i] = slot(i);
    }
    return all;
  }

  /**
   * Clears the entries that are free, but for those that the program has written since.
   *
   * @param before all entries at a time when none of those that are free now had been written
   */
  public void clearFree(int get, int put, long[] before) {
    int free = (get - put - 1 & entries - 1) + 1; // all of them when nothing is left to fetch
    for (int i = 0; i < free; i++) {
      int at = put + i & entries - 1;
      if (before[at] != 0) {
        boolean _ = ENTRY.compareAndSet(slots, at * 8L, before[at], 0L);
      }
    }
  }

  private int next(int index) {
    return index + 1 & entries - 1;
  }

  /** Behind the last entry that the program has written since those that were free were cleared. */
  public int written(int from) {
    int at = from;
    while (slot(at) != 0 && next(at) != from) {
      at = next(at);
    }
    return at;
  }

  /**
   * Stores GP_PUT as the entries have it, whatever was stored over it meanwhile.
   *
   * @param from the entry that is fetched next
   */
  public void announce(int from) {
    int seen;
    int wanted;
    do {
      seen = put();
      wanted = written(from);
    } while (!WORD.compareAndSet(userd, (long) GuestAbi.USERD_GP_PUT, seen, wanted));
    VarHandle.fullFence();
  }

  @Override
  public String toString() {
    return "get=" + get() + " put=" + put() + " notifier=" + Arrays.toString(notifier());
  }
}
