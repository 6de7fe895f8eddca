package io.sluice.migrate.sim;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemoryGrant;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A guest's program. Submission n waits until a word in video memory is n - 1, writes n to pages of
 * its own choosing, and makes the word n: one that is lost or runs twice stops the channel for
 * ever. Some submissions also wait for a release by a second channel, which the program submits
 * only later. It also keeps a pattern that only its processor writes.
 */
final class Program {
  static final int PAGES = 64;
  private static final int ORDER = 5;
  private static final int SLOT_BYTES = 128;
  private static final int SEMAPHORE = 0x20040004;
  private static final int SET_REFERENCE = 0x20010014;
  private static final int ACQUIRE = 0x1001;
  private static final int RELEASE = 0x1000002;
  private static final GpuVa LOW = new GpuVa(0x2000_0000L);
  private static final GpuVa HIGH = new GpuVa(1L << 40);

  private final RandomGenerator random;
  private final Place ringPlace;
  private final Place wordsPlace;
  private final GpuVa wordsVa;
  private final Place dataPlace;
  private final GpuVa dataVa;
  private final Place patternPlace;
  private final int vid;
  final int cid;
  private final int[] lastWriter = new int[PAGES];
  private final int[] pattern = new int[PAGES];
  private final Place helperRingPlace;
  private final Place helperWordsPlace;
  private final GpuVa helperWordsVa;
  private final int helperCid;

  /** Submissions that wait for one on the second channel. */
  private final Deque<Integer> owed = new ArrayDeque<>();

  private int helped;
  private int submitted;
  private int extraHandle;

  Program(Guest guest, RandomGenerator random) {
    this.random = random;
    vid = guest.spaces().create();
    MemoryGrant ring = guest.buffers().allocate(2, 0, 0, 4096);
    MemoryGrant words = guest.buffers().allocate(2, 0, 0, (1L << ORDER) * SLOT_BYTES);
    MemoryGrant data = guest.buffers().allocate(2, 0, 0, (PAGES + 1) * 4096L);
    MemoryGrant cpu = guest.buffers().allocate(2, 0, 0, PAGES * 4096L);
    ringPlace = place(guest, ring);
    wordsPlace = place(guest, words);
    wordsVa = wordsPlace.address();
    dataPlace = place(guest, data);
    dataVa = dataPlace.address();
    patternPlace = place(guest, cpu);
    cid = guest.channels().create(vid);
    guest.channels().start(cid, ringPlace.address(), ORDER, 1);
    MemoryGrant helperRing = guest.buffers().allocate(2, 0, 0, 4096);
    MemoryGrant helperWords = guest.buffers().allocate(2, 0, 0, (1L << ORDER) * SLOT_BYTES);
    helperRingPlace = place(guest, helperRing);
    helperWordsPlace = place(guest, helperWords);
    helperWordsVa = helperWordsPlace.address();
    helperCid = guest.channels().create(vid);
    guest.channels().start(helperCid, helperRingPlace.address(), ORDER, 1);
  }

  /**
   * A buffer.
   *
   * @param address in the address space
   * @param offset in the aperture; 0 without one
   */
  record Place(GpuVa address, long offset) {}

  private Place place(Guest guest, MemoryGrant grant) {
    GpuVa address = guest.spaces().map(vid, grant.handle(), LOW, HIGH, false);
    return new Place(address, grant.apertureOffset().orElse(0));
  }

  /** One look at the world through a mapping: what a processor of the machine does in a while. */
  void run(Host at) {
    MemorySegment page = at.page(cid);
    int done = page.get(JAVA_INT, GuestAbi.USERD_REFERENCE);
    int room = (1 << ORDER) - 1 - (submitted - done);
    for (int n = random.nextInt(3); n > 0 && room > 0; n--, room--) {
      submit(at, page);
    }
    if (random.nextInt(6) == 0) {
      help(at);
    }
    for (int n = random.nextInt(4); n > 0; n--) {
      int i = random.nextInt(PAGES);
      pattern[i]++;
      at.buffer(patternPlace).set(JAVA_INT, i * 4096L + 8L * (i % 100), pattern[i]);
    }
    if (random.nextInt(20) == 0) {
      call(at.guest());
    }
  }

  /** What the machine of the moment gives a program. */
  record Host(Guest guest, MemorySegment vram, MemorySegment pages, @Nullable BlindGpu blind) {
    /** The bytes of a buffer as a processor sees them. */
    MemorySegment buffer(Place place) {
      return vram.asSlice(blind == null ? place.offset() : blind.offsetOf(place.address()));
    }

    MemorySegment page(int cid) {
      return pages.asSlice(cid * 4096L, 4096);
    }
  }

  private void submit(Host host, MemorySegment page) {
    submitted++;
    int target = random.nextInt(PAGES);
    lastWriter[target] = submitted;
    long at = (long) (submitted % (1 << ORDER)) * SLOT_BYTES;
    long chain = dataVa.value() + PAGES * 4096L;
    long own = dataVa.value() + target * 4096L + 16;
    IntStream.Builder words = IntStream.builder();
    semaphore(words, chain, submitted - 1, ACQUIRE);
    semaphore(words, own, submitted, RELEASE);
    if (random.nextInt(4) == 0 && owed.isEmpty()) {
      owed.add(submitted);
      semaphore(words, chain + 16, submitted, RELEASE);
      semaphore(words, chain + 32, submitted, ACQUIRE);
    }
    semaphore(words, chain, submitted, RELEASE);
    words.add(SET_REFERENCE).add(submitted);
    int[] all = words.build().toArray();
    MemorySegment.copy(all, 0, host.buffer(wordsPlace), JAVA_INT, at, all.length);
    long entry = wordsVa.value() + at | (long) all.length << 42;
    int index = (submitted - 1) % (1 << ORDER);
    host.buffer(ringPlace).set(JAVA_LONG, index * 8L, entry);
    page.set(JAVA_INT, GuestAbi.USERD_GP_PUT, submitted % (1 << ORDER));
  }

  private static void semaphore(IntStream.Builder words, long address, int value, int operation) {
    words.add(SEMAPHORE).add((int) (address >>> 32)).add((int) address).add(value).add(operation);
  }

  /** Submits what the first channel waits for. */
  void help(Host at) {
    Integer n = owed.poll();
    if (n == null) {
      return;
    }
    long chain = dataVa.value() + PAGES * 4096L;
    IntStream.Builder words = IntStream.builder();
    semaphore(words, chain + 16, n, ACQUIRE);
    semaphore(words, chain + 32, n, RELEASE);
    words.add(SET_REFERENCE).add(n);
    int[] all = words.build().toArray();
    long offset = (long) (helped % (1 << ORDER)) * SLOT_BYTES;
    MemorySegment.copy(all, 0, at.buffer(helperWordsPlace), JAVA_INT, offset, all.length);
    long entry = helperWordsVa.value() + offset | (long) all.length << 42;
    at.buffer(helperRingPlace).set(JAVA_LONG, helped % (1 << ORDER) * 8L, entry);
    helped++;
    at.page(helperCid).set(JAVA_INT, GuestAbi.USERD_GP_PUT, helped % (1 << ORDER));
  }

  /** Allocates and frees, as far as its share goes: what a move must carry too. */
  private void call(Guest guest) {
    if (extraHandle == 0) {
      try {
        extraHandle = guest.buffers().allocate(2, 0, 7, 8192).handle();
      } catch (RefusedException noRoom) {
        if (noRoom.errno() != Errno.ENOMEM) {
          throw noRoom;
        }
      }
    } else {
      guest.buffers().free(extraHandle);
      extraHandle = 0;
    }
  }

  int submitted() {
    return submitted;
  }

  /** All that was submitted has been executed, in order and once. */
  boolean isComplete(Host at) {
    return at.page(cid).get(JAVA_INT, GuestAbi.USERD_REFERENCE) == submitted;
  }

  /** What is wrong; empty when nothing is. Only when complete. */
  String verify(Host at) {
    MemorySegment data = at.buffer(dataPlace);
    MemorySegment patterns = at.buffer(patternPlace);
    StringBuilder wrong = new StringBuilder();
    for (int i = 0; i < PAGES; i++) {
      int gpu = data.get(JAVA_INT, i * 4096L + 16);
      if (gpu != lastWriter[i]) {
        wrong
            .append(" page ")
            .append(i)
            .append(" has ")
            .append(gpu)
            .append(" of ")
            .append(lastWriter[i]);
      }
      int cpu = patterns.get(JAVA_INT, i * 4096L + 8L * (i % 100));
      if (cpu != pattern[i]) {
        wrong
            .append(" pattern ")
            .append(i)
            .append(" is ")
            .append(cpu)
            .append(" of ")
            .append(pattern[i]);
      }
    }
    long help = at.guest().channels().query(helperCid).usage().entries();
    if (help != helped) {
      wrong.append(" helping entries ").append(help).append(" of ").append(helped);
    }
    long entries = at.guest().channels().query(cid).usage().entries();
    if (entries != submitted) {
      wrong.append(" entries ").append(entries).append(" of ").append(submitted);
    }
    return wrong.toString();
  }
}
