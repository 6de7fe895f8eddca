package io.sluice.channel.guest;

import io.sluice.channel.MemoryBudget;
import io.sluice.channel.Refusal;
import java.util.function.Supplier;

/**
 * The bytes of this process' heap that the tables of a guest have. An entry counts as an upper
 * bound of what is kept of it here, by the backend and by the software GPU, with references of
 * eight bytes; TableBytesTest measures them.
 *
 * <p>Address spaces and channels do not count: their number is the card's, for all guests together.
 * Neither do ranges of guest memory, which count where they are mapped.
 *
 * <p>They are taken of the guest's budget some at a time. Guarded by the guest's lock.
 */
final class TableBytes {
  /** A buffer with its handle, its place in the GPU's memory, and the free range behind it. */
  static final long BUFFER = 1024;

  /** Its places in arrays, which do not become shorter when it goes. */
  static final long SLOT = 64;

  /** A mapping of a buffer. */
  static final long MAPPING = 320;

  /**
   * An extent of a registered buffer, in a region of which the buffer has no other. It counts until
   * the buffer goes, also when its region has.
   */
  static final long EXTENT = 240;

  /** Of the budget at a time. */
  private static final long STEP = 16 << 10;

  // A bit for each page that the GPU writes, in pieces of 128 MiB.
  private static final int PAGE_BITS_SHIFT = 15;
  private static final int PIECE_SHIFT = 27;
  private static final long PIECE = 40;

  private final MemoryBudget budget;
  private long used;
  private long taken;

  /**
   * @param budget of the guest; it may be a part of what all guests have
   */
  TableBytes(MemoryBudget budget) {
    this.budget = budget;
  }

  /** A buffer and the marks of its pages. */
  static long ofBuffer(long sizeBytes) {
    return BUFFER + (sizeBytes >>> PAGE_BITS_SHIFT) + (sizeBytes >>> PIECE_SHIFT) * PIECE;
  }

  /**
   * Takes bytes for what is about to be made.
   *
   * @throws io.sluice.abi.RefusedException ENOMEM when the budget has no more
   */
  void use(long bytes) {
    long missing = used + bytes - taken;
    if (missing > 0) {
      long more = (missing + STEP - 1) / STEP * STEP;
      if (!budget.take(more)) {
        throw Refusal.heapFull(budget.bytes(), budget.limitBytes());
      }
      taken += more;
    }
    used += bytes;
  }

  /** Takes bytes for something, unless it cannot be made. */
  <T> T forMade(long bytes, Supplier<T> maker) {
    use(bytes);
    boolean complete = false;
    try {
      T made = maker.get();
      complete = true;
      return made;
    } finally {
      if (!complete) {
        free(bytes);
      }
    }
  }

  /** Gives back what was used; a step more than is needed is kept. */
  void free(long bytes) {
    used -= bytes;
    long spare = (taken - used) / STEP * STEP - STEP;
    if (spare > 0) {
      budget.giveBack(spare);
      taken -= spare;
    }
  }

  /** The guest is no more. */
  void freeAll() {
    budget.giveBack(taken);
    taken = 0;
    used = 0;
  }
}
