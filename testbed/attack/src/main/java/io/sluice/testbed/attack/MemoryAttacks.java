package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Attacks by memory: that of this process which the device may use, and video memory. */
final class MemoryAttacks {
  private static final long PAGE = 4096;
  private static final long LIST = 0x10_0000;
  private static final long ONE_PAGE = 0x1000_0000;
  private static final long OTHER_PAGE = 0x2000_0000;
  private static final int EXTENTS = 8192;
  private static final int EXTENTS_A_CALL = 256;
  private static final int MOST_MAPPINGS = 4096;
  private static final int CHANNELS = 60;
  private static final int MAPS = 8192;
  private static final int VIDEO_BYTES = 64 << 20;
  private static final int MOST_PIECES = 16; // a GiB
  private static final long FAR = 1L << 40;
  private static final long BLOCK = 1L << 27; // of the bus
  private static final int LOGGED_BLOCKS = 2100;
  private static final int FEATURE_BYTES = 1 << 16;
  private static final int LOG_START = 6 | 1 << 17;
  private static final int LOG_REPORT = 8 | 1 << 16;
  private static final int SEMAPHORE = 0x10;
  private static final int SEMAPHORE_RELEASE = 2;
  private static final int TOGETHER = 64;

  private MemoryAttacks() {}

  /** The same page thousands of times in a buffer that a space maps thousands of times. */
  static void unmapOfExtents(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        Mapping list = guest.share(LIST, 1 << 20);
        Mapping _ = guest.share(ONE_PAGE, PAGE);
        Fd other = means.kernel().memfdCreate("other", PAGE)) {
      for (int i = 0; i < EXTENTS_A_CALL; i++) {
        list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * i, ONE_PAGE);
        list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * i + 1, PAGE);
      }
      int buffer = guest.register(EXTENTS * PAGE);
      for (int i = 0; i < EXTENTS; i += EXTENTS_A_CALL) {
        guest.pages(buffer, EXTENTS_A_CALL, i * PAGE, LIST);
      }
      int space = guest.space();
      try {
        for (int i = 0; i < CHANNELS; i++) {
          int _ = guest.channel(space);
        }
      } catch (RawGuest.Refused _) {
        // as many as there may be
      }
      int _ = guest.mapAgain(space, buffer, MOST_MAPPINGS, means.over());
      do {
        int _ = guest.dmaMap(OTHER_PAGE, PAGE, other);
        int _ = guest.dmaUnmap(OTHER_PAGE, PAGE);
      } while (!means.over().getAsBoolean());
    }
  }

  /** As many bytes as the host maps, in pieces of half the size of the last refused. */
  static void addressSpace(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        Fd huge = means.kernel().memfdCreate("huge", 1L << 46)) {
      long iova = 0;
      long size = 1L << 46;
      while (size >= PAGE) {
        if (guest.dmaMap(iova, size, huge) == 0) {
          iova += size;
        } else {
          size >>= 1;
        }
      }
      hold(means);
    }
  }

  /** As many mappings as the host takes, each of a file of its own, named in a list. */
  static void mappings(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      for (int i = 0; i < MAPS; i++) {
        try (Fd fd = means.kernel().memfdCreate("one", PAGE)) {
          if (guest.dmaMap(LIST + i * PAGE * 2, PAGE, fd) != 0) {
            break;
          }
        }
      }
      hold(means);
    }
  }

  /** Memory is touched page by page, and freed. */
  static void touchedAndFreed(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      do {
        RawGuest.Video video = guest.video(VIDEO_BYTES);
        touch(guest, video);
        guest.free(video.handle());
      } while (!means.over().getAsBoolean());
    }
  }

  /** As much as it may have is touched, and freed. */
  static void wholeShare(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      int _ = guest.space(); // it has something, whatever is freed: nobody's share changes
      do {
        Deque<RawGuest.Video> all = new ArrayDeque<>();
        try {
          while (all.size() < MOST_PIECES && !means.over().getAsBoolean()) {
            all.add(guest.video(VIDEO_BYTES));
            touch(guest, all.getLast());
          }
        } catch (RawGuest.Refused full) {
          if (all.isEmpty()) {
            throw full;
          }
        }
        all.forEach(video -> guest.free(video.handle()));
      } while (!means.over().getAsBoolean());
    }
  }

  private static void touch(RawGuest guest, RawGuest.Video video) {
    MemorySegment bytes = guest.bar(2).asSlice(video.aperture(), VIDEO_BYTES);
    for (long at = 0; at < VIDEO_BYTES; at += PAGE) {
      bytes.set(ValueLayout.JAVA_INT, at, 1);
    }
  }

  /** The GPU writes pages in more blocks of the bus than a log of them has; all are asked for. */
  static void loggedPages(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        Mapping list = guest.share(LIST, 1 << 20);
        Fd page = means.kernel().memfdCreate("logged", PAGE)) {
      int blocks = 0;
      while (blocks < LOGGED_BLOCKS && guest.dmaMap(FAR + blocks * BLOCK, PAGE, page) == 0) {
        blocks++;
      }
      int buffer = guest.register(blocks * PAGE);
      for (int i = 0; i < blocks; i += EXTENTS_A_CALL) {
        int some = Math.min(EXTENTS_A_CALL, blocks - i);
        for (int k = 0; k < some; k++) {
          list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * k, FAR + (i + k) * BLOCK);
          list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * k + 1, PAGE);
        }
        guest.pages(buffer, some, i * PAGE, LIST);
      }
      int space = guest.space();
      long address = guest.map(space, buffer);
      RawChannel channel = new RawChannel(guest, space);
      ByteBuffer _ =
          guest.ok(RawGuest.DEVICE_FEATURE, Bytes.of(FEATURE_BYTES, LOG_START, PAGE, 0, 0));
      do {
        for (int i = 0; i < blocks; i += TOGETHER) {
          channel.submit(releases(address + i * PAGE, Math.min(TOGETHER, blocks - i)));
        }
        ByteBuffer _ =
            guest.ok(
                RawGuest.DEVICE_FEATURE,
                Bytes.of(FEATURE_BYTES, LOG_REPORT, FAR, blocks * BLOCK, BLOCK));
      } while (!means.over().getAsBoolean());
    }
  }

  /** A word for each page. */
  private static int[] releases(long address, int pages) {
    return IntStream.range(0, pages)
        .mapToLong(i -> address + i * PAGE)
        .mapToObj(at ->
            RawChannel.method(0, SEMAPHORE, (int) (at >>> 32), (int) at, 1, SEMAPHORE_RELEASE))
        .flatMapToInt(Arrays::stream)
        .toArray();
  }

  /** A guest that uses the GPU for a moment: shares of others fall and rise. */
  static void comesAndGoes(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      do {
        guest.free(guest.video((int) PAGE).handle());
        LockSupport.parkNanos(
            1_000_000L * means.random().nextInt(50)); // some are looked at between
      } while (!means.over().getAsBoolean() && means.random().nextInt(10) > 0);
    }
  }

  /** What was taken is kept until the attack is over. */
  static void hold(Means means) {
    while (!means.over().getAsBoolean()) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
