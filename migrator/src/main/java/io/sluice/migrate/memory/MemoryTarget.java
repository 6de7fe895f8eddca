package io.sluice.migrate.memory;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import io.sluice.channel.GuestRestore;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts video memory that is received where it belongs. The peer's word is not taken for anything:
 * pages go into buffers that the peer has announced and this GPU has granted, and nowhere else. One
 * thread uses it.
 */
public final class MemoryTarget {
  /** Most frames of one stream in a {@link #work}. */
  private static final int FRAMES_AT_ONCE = 16;

  private final GuestRestore restore;
  private final MemorySegment aperture;
  private final MigrationLink link;
  private final TreeMap<Long, Long> ranges = new TreeMap<>(); // aperture offset to length
  private final Map<Long, MemoryRecord> buffers = new HashMap<>();
  private final @Nullable Frame[] held;
  private final int[] reached;
  private int epoch;
  private long pages;

  /**
   * @param aperture this GPU's, mapped
   */
  public MemoryTarget(GuestRestore restore, MemorySegment aperture, MigrationLink link) {
    this.restore = restore;
    this.aperture = aperture;
    this.link = link;
    held = new @Nullable Frame[link.dataStreams() + 1];
    reached = new int[link.dataStreams() + 1];
  }

  /** Takes BUFFER or BUFFER_GONE. */
  public void control(Frame frame) {
    if (frame.type() == FrameType.BUFFER) {
      if (!(RecordCodec.decode(Section.read(frame.reader())) instanceof MemoryRecord record)
          || record.apertureOffset().isEmpty()) {
        throw PageFrames.bad("announces no buffer of video memory", frame);
      }
      restore.add(record);
      buffers.put(record.serial(), record);
      ranges.put(record.apertureOffset().getAsLong(), record.sizeBytes());
    } else {
      ByteBuffer in = frame.reader();
      if (in.remaining() != Long.BYTES) {
        throw PageFrames.bad("names no buffer", frame);
      }
      long serial = in.getLong();
      restore.remove(serial);
      MemoryRecord gone = buffers.remove(serial);
      if (gone != null) {
        ranges.remove(gone.apertureOffset().orElse(-1));
      }
    }
    epoch++;
  }

  /** Takes what has come on the streams of pages; how many frames. */
  public int work() {
    int worked = 0;
    for (int stream = 1; stream < held.length; stream++) {
      for (int i = 0; i < FRAMES_AT_ONCE; i++) {
        Frame frame = held[stream];
        if (frame == null) {
          frame = link.poll(stream);
        }
        if (frame == null) {
          break;
        }
        held[stream] = frame;
        if (!take(stream, frame)) {
          break;
        }
        held[stream] = null;
        worked++;
      }
    }
    return worked;
  }

  /** False while the frame must wait for what it speaks of. */
  private boolean take(int stream, Frame frame) {
    switch (frame.type()) {
      case PAGES, ZEROS -> {
        if (PageFrames.epoch(frame) - epoch > 0) {
          return false;
        }
        pages += PageFrames.read(frame, this::put);
        return true;
      }
      case BARRIER -> {
        ByteBuffer in = frame.reader();
        if (in.remaining() != 2 * Integer.BYTES) {
          throw PageFrames.bad("is no barrier", frame);
        }
        int pass = in.getInt();
        if (pass != reached[stream] + 1) {
          throw PageFrames.bad("is a barrier out of turn", frame);
        }
        if (in.getInt() - epoch > 0) {
          return false;
        }
        reached[stream] = pass;
        return true;
      }
      default -> throw PageFrames.bad("is on the wrong stream", frame);
    }
  }

  /** A page of a buffer that is gone is dropped: its successor's pages come after it. */
  private void put(long offset, long length, ByteBuffer bytes) {
    Map.Entry<Long, Long> range = ranges.floorEntry(offset);
    if (range == null || offset + length > range.getKey() + range.getValue()) {
      putPageWise(offset, length, bytes);
      return;
    }
    store(offset, length, bytes);
  }

  /** A run may cross from one buffer into its neighbour. */
  private void putPageWise(long offset, long length, ByteBuffer bytes) {
    if (offset < 0 || offset > aperture.byteSize() - length) {
      throw new RefusedException(
          "SLU-MIG-011",
          Errno.EPROTO,
          "a page is outside video memory, offset=0x" + Long.toHexString(offset),
          "");
    }
    for (long done = 0; done < length; done += Fingerprint.PAGE_BYTES) {
      Map.Entry<Long, Long> range = ranges.floorEntry(offset + done);
      if (range != null && offset + done < range.getKey() + range.getValue()) {
        int at = bytes.hasRemaining() ? bytes.position() + (int) done : 0;
        int count = bytes.hasRemaining() ? Fingerprint.PAGE_BYTES : 0;
        store(offset + done, Fingerprint.PAGE_BYTES, bytes.slice(at, count));
      }
    }
  }

  private void store(long offset, long length, ByteBuffer bytes) {
    if (bytes.hasRemaining()) {
      MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, aperture, offset, length);
    } else {
      aperture.asSlice(offset, length).fill((byte) 0);
    }
  }

  /** The pass whose barrier has come on every stream; 0 before the first. */
  public int passReached() {
    int least = Integer.MAX_VALUE;
    for (int stream = 1; stream < reached.length; stream++) {
      least = Math.min(least, reached[stream]);
    }
    return least;
  }

  /** Pages received, zeros included. */
  public long pages() {
    return pages;
  }
}
