package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.testbed.attack.Descriptors.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Attacks by connections and messages that are no random ones. */
final class ConnectionAttacks {
  private static final int READS = 16;
  private static final int READ_BYTES = 32_768;
  private static final int CONNECTIONS = 50;
  private static final int SILENT = 64;
  private static final int UNANSWERING = 40;
  private static final int DMA_REPORT = 8 | 1 << 16;
  private static final long[] LENGTHS = {
    0, 4096, 1L << 32, Long.MAX_VALUE, 1L << 63, (1L << 63) + 4096, -1
  };

  private ConnectionAttacks() {}

  /** A broken message with a descriptor, behind requests whose replies nobody has read yet. */
  static void linger(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      for (int i = 0; i < READS; i++) {
        guest.send(RawGuest.REGION_READ, Bytes.of(0L, 1, READ_BYTES));
      }
      guest.sendRaw(Bytes.of((short) 9, (short) 9, 8, 0, 0));
      Fd fd = means.descriptors().lingering();
      guest.sendRaw(new byte[16], fd);
      means.descriptors().release(Kind.LINGERING, fd);
      guest.drain();
    }
    MemoryAttacks.hold(means);
  }

  /** A second client, which is refused, sends one with its first message. */
  static void lingerOfSecond(Means means) {
    try (RawGuest _ = RawGuest.attach(means.kernel(), means.socket());
        RawGuest second = new RawGuest(means.kernel(), means.socket())) {
      Fd fd = means.descriptors().lingering();
      second.sendRaw(second.header(RawGuest.VERSION, 64, 0), fd);
      means.descriptors().release(Kind.LINGERING, fd);
      second.drain();
      MemoryAttacks.hold(means);
    }
  }

  /**
   * Files that do not answer, wherever a descriptor may come along: from a second client, with a
   * message that is refused, and with maps, more than may wait to be closed.
   */
  static void fuse(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        RawGuest second = new RawGuest(means.kernel(), means.socket())) {
      boolean _ = isTaken(means, fd -> second.sendRaw(second.header(RawGuest.VERSION, 64, 0), fd));
      boolean _ = isTaken(means, fd -> guest.request(RawGuest.REGION_READ, Bytes.of(0L, 0, 4), fd));
      int maps = 0;
      while (maps < UNANSWERING && isTaken(means, fd -> guest.dmaMap(0, 4096, fd))) {
        maps++;
      }
      MemoryAttacks.hold(means);
    }
  }

  /**
   * Whether the host takes such a file, with what is sent; it refuses it when there are too many.
   */
  private static boolean isTaken(Means means, Consumer<Fd> send) {
    Fd fd = means.descriptors().unanswering();
    try {
      send.accept(fd);
      return true;
    } catch (RawGuest.Refused _) {
      return false;
    } finally {
      means.descriptors().releaseLater(fd);
    }
  }

  /** Clients that leave before their reply. */
  static void log(Means means) {
    for (int i = 0; i < CONNECTIONS; i++) {
      try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
        guest.send(RawGuest.REGION_READ, Bytes.of(0L, 1, READ_BYTES));
      }
    }
  }

  /** Ranges that reach beyond all, wherever a length may be sent; each is answered. */
  static void lengths(Means means) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        var _ = guest.share(1L << 32, 1 << 20)) {
      for (long length : LENGTHS) {
        for (long iova : LENGTHS) {
          answered(guest, iova, length);
        }
      }
    }
  }

  private static void answered(RawGuest guest, long iova, long length) {
    try {
      for (long page : new long[] {1, 4096, 1L << 40}) {
        RawGuest.Reply _ =
            guest.request(
                RawGuest.DEVICE_FEATURE, Bytes.of(262_144, DMA_REPORT, iova, length, page));
      }
      int _ = guest.dmaUnmap(iova, length);
      RawGuest.Reply _ =
          guest.request(RawGuest.REGION_READ, Bytes.of(iova, 0, (int) length & 0xffff));
    } catch (RawGuest.Refused e) {
      throw new AssertionError("no answer, iova=" + iova + ", length=" + length, e);
    }
  }

  /** Connections that say nothing, or half a header. */
  static void silent(Means means) {
    List<RawGuest> silent = new ArrayList<>();
    try {
      for (int i = 0; i < SILENT; i++) {
        RawGuest one = new RawGuest(means.kernel(), means.socket());
        silent.add(one);
        if (i % 2 == 0) {
          one.sendRaw(new byte[1 + i % 15]);
        }
      }
    } finally {
      MemoryAttacks.hold(means);
      silent.forEach(RawGuest::close);
    }
  }
}
