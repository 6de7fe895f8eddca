package io.sluice.migrate.memory;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.memory.TargetBuffers.BufferRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A share of the pages that come: those of some of the link's streams, which no other lane takes
 * from. One thread at a time uses it.
 */
final class TargetLane {
  /** Most frames of one stream in a {@link #work}. */
  private static final int FRAMES_AT_ONCE = 16;

  private final MigrationLink link;
  private final TargetBuffers buffers;
  private final Storage storage;
  private final int[] streams;
  private final @Nullable Frame[] held; // by stream of this lane
  private final int[] reached; // likewise
  private long pages;

  /** The storage that pages go to. One thread at a time uses it. */
  interface Storage {
    /**
     * Takes the bytes of a run of pages.
     *
     * @param offset on the way
     * @param bytes empty for zeros
     */
    void store(BufferRange range, long offset, long length, ByteBuffer bytes);

    /** What was stored is in place when this returns. */
    void flush();

    /** Whether a place that no buffer has may be named: one where a buffer was. */
    boolean covers(long offset, long length);
  }

  /**
   * @param streams whose frames this lane takes
   */
  TargetLane(MigrationLink link, TargetBuffers buffers, Storage storage, int[] streams) {
    this.link = link;
    this.buffers = buffers;
    this.storage = storage;
    this.streams = streams.clone();
    held = new @Nullable Frame[streams.length];
    reached = new int[streams.length];
  }

  /** Whether a frame has come that {@link #work} would look at. */
  boolean isReady() {
    boolean ready = false;
    for (int i = 0; i < streams.length; i++) {
      ready |= next(i) != null;
    }
    return ready;
  }

  /** The next frame of a stream, which stays there. */
  private @Nullable Frame next(int at) {
    if (held[at] == null) {
      held[at] = link.poll(streams[at]);
    }
    return held[at];
  }

  /** Takes what has come on its streams; how many frames. */
  int work() {
    int worked = 0;
    for (int at = 0; at < streams.length; at++) {
      for (int i = 0; i < FRAMES_AT_ONCE; i++) {
        Frame frame = next(at);
        if (frame == null || !take(at, frame)) {
          break;
        }
        held[at] = null;
        link.used(frame);
        worked++;
      }
    }
    return worked;
  }

  /** False while the frame must wait for what it speaks of. */
  private boolean take(int at, Frame frame) {
    switch (frame.type()) {
      case PAGES, ZEROS -> {
        int epoch = PageFrames.epoch(frame);
        if (!buffers.hasReached(epoch)) {
          return false;
        }
        pages +=
            PageFrames.read(frame, (offset, length, bytes) -> put(epoch, offset, length, bytes));
        return true;
      }
      case BARRIER -> {
        ByteBuffer in = frame.reader();
        if (in.remaining() != 2 * Integer.BYTES) {
          throw PageFrames.bad("is no barrier", frame);
        }
        int pass = in.getInt();
        if (pass != reached[at] + 1) {
          throw PageFrames.bad("is a barrier out of turn", frame);
        }
        if (!buffers.hasReached(in.getInt())) {
          return false;
        }
        storage.flush();
        reached[at] = pass;
        return true;
      }
      default -> throw PageFrames.bad("is on the wrong stream", frame);
    }
  }

  /** A page of a buffer that is gone is dropped, also when another is at its place by now. */
  private void put(int epoch, long offset, long length, ByteBuffer bytes) {
    BufferRange range = offset > Long.MAX_VALUE - length ? null : buffers.floor(offset);
    if (range == null || offset + length > range.end()) {
      putPageWise(epoch, offset, length, bytes);
    } else if (range.isOf(epoch)) {
      storage.store(range, offset, length, bytes);
    }
  }

  /** A run may cross from one buffer into its neighbour. */
  private void putPageWise(int epoch, long offset, long length, ByteBuffer bytes) {
    if (offset < 0 || offset > Long.MAX_VALUE - length || !storage.covers(offset, length)) {
      throw new RefusedException(
          MigrationCode.PAGE_OUTSIDE,
          Errno.EPROTO,
          "a page is outside video memory, offset=0x" + Long.toHexString(offset),
          "");
    }
    for (long done = 0; done < length; done += Fingerprint.PAGE_BYTES) {
      BufferRange range = buffers.floor(offset + done);
      if (range != null && offset + done < range.end() && range.isOf(epoch)) {
        int from = bytes.hasRemaining() ? bytes.position() + (int) done : 0;
        int count = bytes.hasRemaining() ? Fingerprint.PAGE_BYTES : 0;
        storage.store(range, offset + done, Fingerprint.PAGE_BYTES, bytes.slice(from, count));
      }
    }
  }

  /** The pass whose barrier has come on each of its streams; 0 before the first. */
  int passReached() {
    return Arrays.stream(reached).min().orElse(0);
  }

  /** Pages received, zeros included. */
  long pages() {
    return pages;
  }
}
