package io.sluice.migrate.memory;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The payloads of PAGES and ZEROS, little-endian.
 *
 * <pre>
 *  u32 epoch   u32 runs   { u64 offset   u32 pages   u32 0 }…   bytes of the pages (PAGES only)
 * </pre>
 *
 * <p>{@code epoch} is how many BUFFER and BUFFER_GONE frames came before on the control stream: the
 * destination looks at the frame when it has seen as many.
 */
final class PageFrames {
  /** Most pages of a frame that is taken. */
  static final int MAX_PAGES = 128;

  /**
   * Pages of a frame that is built: 256 KiB stay in a core's cache from the copy to the cipher, and
   * are no object that a collector has to treat on its own.
   */
  static final int BUILT_PAGES = 64;

  private static final int PAGE_BYTES = Fingerprint.PAGE_BYTES;

  static final int HEAD_BYTES = 8;
  static final int RUN_BYTES = 16;

  private static final int BUILT_HEAD_BYTES = HEAD_BYTES + BUILT_PAGES * RUN_BYTES;

  /** Most bytes of a frame of pages that is built. */
  static final int BUILT_BYTES = BUILT_HEAD_BYTES + BUILT_PAGES * PAGE_BYTES;

  /** Likewise of zeros. */
  static final int BUILT_ZEROS_BYTES = BUILT_HEAD_BYTES;

  private PageFrames() {}

  /**
   * The collector of pages until they are a frame. It is no {@link io.sluice.abi.FieldWriter}: the
   * pages are copied once, into the buffer that is sent, before it is known what their head is.
   */
  static final class Builder {
    private final FrameType type;
    private final int epoch;
    private final long[] offsets = new long[BUILT_PAGES];
    private final int[] lengths = new int[BUILT_PAGES];
    private final ByteBuffer bytes;
    private final MemorySegment segment;
    private int runs;
    private int pages;

    /**
     * @param bytes room for it: {@link #BUILT_BYTES} for pages
     */
    Builder(FrameType type, int epoch, ByteBuffer bytes) {
      this.type = type;
      this.epoch = epoch;
      this.bytes = bytes;
      segment = MemorySegment.ofBuffer(bytes);
      // The head is put before the pages at the end, so that they need no second copy.
      bytes.position(BUILT_HEAD_BYTES);
    }

    FrameType type() {
      return type;
    }

    int epoch() {
      return epoch;
    }

    boolean isFull() {
      return pages == BUILT_PAGES;
    }

    /** Puts a page's bytes in. */
    void put(MemorySegment page) {
      int position = bytes.position();
      MemorySegment.copy(page, 0, segment, position, PAGE_BYTES);
      bytes.position(position + PAGE_BYTES);
    }

    /** The page at an aperture offset is in. */
    void added(long offset) {
      int last = runs - 1;
      if (runs > 0 && offsets[last] + lengths[last] * (long) PAGE_BYTES == offset) {
        lengths[last]++;
      } else {
        offsets[runs] = offset;
        lengths[runs++] = 1;
      }
      pages++;
    }

    Frame build() {
      int end = bytes.position();
      int start = BUILT_PAGES * RUN_BYTES - runs * RUN_BYTES;
      bytes.position(start);
      bytes.putInt(epoch).putInt(runs);
      for (int i = 0; i < runs; i++) {
        bytes.putLong(offsets[i]).putInt(lengths[i]).putInt(0);
      }
      bytes.position(start).limit(end);
      return Frame.of(type, bytes);
    }
  }

  /** The epoch of a frame that has come from the peer. */
  static int epoch(Frame frame) {
    return reader(frame).bits();
  }

  /** A consumer of runs, told of each. */
  interface RunConsumer {
    /**
     * @param bytes the pages' bytes, of which it takes all; empty for zeros
     */
    void run(long offset, long lengthBytes, ByteBuffer bytes);
  }

  /**
   * Takes a frame of the peer's apart.
   *
   * @return pages in it
   * @throws RefusedException when it is none
   */
  static int read(Frame frame, RunConsumer consumer) {
    FieldReader in = reader(frame);
    in.bits(); // the epoch
    int runs = in.count(MAX_PAGES, RUN_BYTES);
    in.require(runs > 0, "has runs");
    FieldReader table = in.part(runs * RUN_BYTES);
    ByteBuffer bytes = in.rest();
    in.require(frame.type() == FrameType.PAGES || !bytes.hasRemaining(), "zeros have no bytes");
    int total = 0;
    for (int i = 0; i < runs; i++) {
      long offset = table.u64();
      long pages = table.u32();
      table.require(
          pages > 0 && pages <= MAX_PAGES && table.bits() == 0 && offset % PAGE_BYTES == 0,
          "a run is whole pages, at most " + MAX_PAGES);
      int length = (int) pages * PAGE_BYTES;
      if (frame.type() == FrameType.PAGES) {
        in.require(bytes.remaining() >= length, "has the bytes of its pages");
        consumer.run(offset, length, bytes.slice(bytes.position(), length));
        bytes.position(bytes.position() + length);
      } else {
        consumer.run(offset, length, bytes);
      }
      total += (int) pages;
    }
    in.require(!bytes.hasRemaining(), "has no more bytes than its pages");
    return total;
  }

  private static FieldReader reader(Frame frame) {
    return new FieldReader(frame.reader(), (_, what) -> bad(what, frame));
  }

  static RefusedException bad(String how, Frame frame) {
    return new RefusedException(
        MigrationCode.FRAME,
        Errno.EPROTO,
        "a frame is damaged: "
            + how
            + ", type="
            + frame.type()
            + " bytes="
            + frame.payload().remaining(),
        "Both sides must run the same version of Sluice, or neighbouring ones.");
  }
}
