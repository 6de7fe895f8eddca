package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.LittleEndian;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.Run;
import java.nio.ByteBuffer;

/**
 * A channel's GPFIFO and its place in it: the entry being executed and the words of it that are
 * left. GP_GET moves on when an entry has been consumed, not when it is fetched, because writers
 * reuse what lies before it.
 */
final class Ring {
  /** Largest ring: pscnv accepts orders up to this. */
  static final int MAX_ORDER = 29;

  private static final int NO_RING = -1;
  private static final int FLAG_OPEN = 1;
  private static final int FLAG_MAIN_LEVEL = 2;
  private static final int FLAG_TOP_LEVEL_VALID = 4;

  private final Run run = new Run();
  private long start;
  private int order = NO_RING;
  private int gpGet;
  private int gpPut;
  private boolean open;
  private boolean mainLevel;
  private boolean topLevelValid;
  private long address;
  private int wordsLeft;
  private long topLevelGet;
  private long entries;

  /** Gives the channel its ring, empty. */
  void initialise(long ringStart, int ringOrder) {
    start = ringStart;
    order = ringOrder;
  }

  int gpGet() {
    return gpGet;
  }

  /** GP_PUT as last read. */
  int gpPut() {
    return gpPut;
  }

  /** Entries in the ring. */
  int size() {
    return 1 << order;
  }

  /** Ring entries taken. */
  long entries() {
    return entries;
  }

  /** Whether an entry is being executed. */
  boolean isOpen() {
    return open;
  }

  /** Whether no entry that was seen is left or being executed. */
  boolean isDrained() {
    return !open && gpGet == gpPut;
  }

  int wordsLeft() {
    return wordsLeft;
  }

  /** Address of the next word of the entry. */
  long address() {
    return address;
  }

  /** Takes a new GP_PUT; false when it is not an index of the ring. */
  boolean see(int put) {
    if (put < 0 || put >= size()) {
      return false;
    }
    gpPut = put;
    return true;
  }

  /** GPU address of the next ring entry. */
  long entryAddress() {
    return start + (long) gpGet * RingEntry.BYTES;
  }

  /**
   * Finds the next ring entry in memory.
   *
   * @param space in which the ring is
   */
  FaultReason locateEntry(GpuAddressSpace space) {
    return space.translate(entryAddress(), RingEntry.BYTES, false, run);
  }

  /** Reads the entry that {@link #locateEntry} found, once. */
  long readEntry() {
    entries++;
    return run.segment().get(LittleEndian.LONG, run.offset());
  }

  /** Starts an entry with words. */
  void open(long entry) {
    open = true;
    mainLevel = RingEntry.isMainLevel(entry);
    address = RingEntry.address(entry);
    wordsLeft = RingEntry.words(entry);
  }

  /** One word of the entry was handed to the decoder. */
  void consumed() {
    address += 4;
    wordsLeft--;
  }

  /** Skips what is left of the entry. */
  void skipRest() {
    address += (long) wordsLeft * 4;
    wordsLeft = 0;
  }

  /** The entry was consumed: the next one may be taken. */
  void close(Userd userd) {
    if (open) {
      publishPosition(userd);
    }
    open = false;
    gpGet = gpGet + 1 & size() - 1;
    userd.publishGpGet(gpGet);
  }

  /** Publishes GET, and TOP_LEVEL_GET when the entry is of the main level. */
  void publishPosition(Userd userd) {
    userd.publishGet(address);
    if (mainLevel) {
      topLevelGet = address;
      topLevelValid = true;
      userd.publishTopLevelGet(topLevelGet);
    }
  }

  void save(ByteBuffer to) {
    int flags =
        (open ? FLAG_OPEN : 0)
            | (mainLevel ? FLAG_MAIN_LEVEL : 0)
            | (topLevelValid ? FLAG_TOP_LEVEL_VALID : 0);
    to.putLong(start).putInt(order).putInt(gpGet).putInt(gpPut).putInt(flags);
    to.putLong(address).putInt(wordsLeft).putLong(topLevelGet).putLong(entries);
  }

  void restore(ByteBuffer from) {
    start = from.getLong();
    order = from.getInt();
    gpGet = from.getInt();
    gpPut = from.getInt();
    int flags = from.getInt();
    open = (flags & FLAG_OPEN) != 0;
    mainLevel = (flags & FLAG_MAIN_LEVEL) != 0;
    topLevelValid = (flags & FLAG_TOP_LEVEL_VALID) != 0;
    address = from.getLong();
    wordsLeft = from.getInt();
    topLevelGet = from.getLong();
    entries = from.getLong();
    boolean valid =
        isLegal(start, order)
            && gpGet >= 0
            && gpGet < size()
            && gpPut >= 0
            && gpPut < size()
            && wordsLeft >= 0
            && wordsLeft <= 0x1f_ffff
            && (address & 3) == 0;
    if (!valid) {
      throw new IllegalArgumentException("ring state out of range, gpGet=" + gpGet);
    }
  }

  /** Publishes everything a moved channel's control page must show; GP_PUT is the guest's. */
  void publishAll(Userd userd) {
    userd.publishGet(address);
    if (topLevelValid) {
      userd.publishTopLevelGet(topLevelGet);
    }
    userd.publishGpGet(gpGet);
  }

  /** Whether a ring can be where it is said to be. */
  static boolean isLegal(long ringStart, int ringOrder) {
    return ringOrder >= 0 && ringOrder <= MAX_ORDER && (ringStart & RingEntry.BYTES - 1) == 0;
  }
}
