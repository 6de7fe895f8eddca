package io.sluice.migrate.memory;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.GuestMove;
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
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts video memory that is received where it belongs. The peer's word is not taken for anything:
 * pages go into buffers that the peer has announced and this GPU has granted, and nowhere else. One
 * thread uses it.
 */
public final class MemoryTarget implements AutoCloseable {
  /** Most frames of one stream in a {@link #work}. */
  private static final int FRAMES_AT_ONCE = 16;

  private final GuestRestore restore;
  private final Kernel kernel;
  private final @Nullable SharedArea aperture;

  /** Where a run is put before it is written: the kernel takes no bytes of the heap. */
  private final MemorySegment staging =
      MemorySegment.ofBuffer(
          ByteBuffer.allocateDirect(PageFrames.MAX_PAGES * Fingerprint.PAGE_BYTES));

  private final MigrationLink link;
  private final @Nullable ArrivedMemory arrived;
  private final Places places = new Places();

  /** Where a buffer's pages go: by their offset on the way. */
  private final TreeMap<Long, MemoryRecord> ranges = new TreeMap<>();

  private final Map<Long, Long> offsets = new HashMap<>(); // by serial number
  private final @Nullable Frame[] held;
  private final int[] reached;
  private int epoch;
  private long pages;

  /**
   * @param move of the guest that is restored
   * @param aperture the file that is this GPU's video memory; empty where nobody can map it: then
   *     the GPU copies
   */
  public MemoryTarget(
      GuestMove move,
      GuestRestore restore,
      Optional<SharedArea> aperture,
      Kernel kernel,
      MigrationLink link) {
    this.restore = restore;
    this.kernel = kernel;
    arrived =
        aperture.isEmpty()
            ? new ArrivedMemory(restore, move.openWindow(ArrivedMemory.WINDOW_BYTES, kernel))
            : null;
    this.aperture = aperture.orElse(null);
    this.link = link;
    held = new @Nullable Frame[link.dataStreams() + 1];
    reached = new int[link.dataStreams() + 1];
  }

  /** Takes BUFFER or BUFFER_GONE. */
  public void control(Frame frame) {
    if (frame.type() == FrameType.BUFFER) {
      if (!(RecordCodec.decode(Section.read(frame.reader())) instanceof MemoryRecord record)
          || record.registered()
          || record.apertureOffset().isEmpty() != (arrived != null)) {
        throw PageFrames.bad("announces no buffer of video memory", frame);
      }
      restore.add(record);
      long offset = places.take(record);
      offsets.put(record.serial(), offset);
      ranges.put(offset, record);
    } else {
      ByteBuffer in = frame.reader();
      if (in.remaining() != Long.BYTES) {
        throw PageFrames.bad("names no buffer", frame);
      }
      long serial = in.getLong();
      flush();
      restore.remove(serial);
      Long offset = offsets.remove(serial);
      if (offset != null) {
        ranges.remove(offset);
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
        link.used(frame);
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
        flush();
        reached[stream] = pass;
        return true;
      }
      default -> throw PageFrames.bad("is on the wrong stream", frame);
    }
  }

  /** A page of a buffer that is gone is dropped: its successor's pages come after it. */
  private void put(long offset, long length, ByteBuffer bytes) {
    Map.Entry<Long, MemoryRecord> range =
        offset > Long.MAX_VALUE - length ? null : ranges.floorEntry(offset);
    if (range == null || offset + length > end(range)) {
      putPageWise(offset, length, bytes);
      return;
    }
    store(range, offset, length, bytes);
  }

  /** A run may cross from one buffer into its neighbour. */
  private void putPageWise(long offset, long length, ByteBuffer bytes) {
    if (offset < 0
        || offset > Long.MAX_VALUE - length
        || aperture != null && offset > aperture.sizeBytes() - length) {
      throw new RefusedException(
          "SLU-MIG-011",
          Errno.EPROTO,
          "a page is outside video memory, offset=0x" + Long.toHexString(offset),
          "");
    }
    for (long done = 0; done < length; done += Fingerprint.PAGE_BYTES) {
      Map.Entry<Long, MemoryRecord> range = ranges.floorEntry(offset + done);
      if (range != null && offset + done < end(range)) {
        int at = bytes.hasRemaining() ? bytes.position() + (int) done : 0;
        int count = bytes.hasRemaining() ? Fingerprint.PAGE_BYTES : 0;
        store(range, offset + done, Fingerprint.PAGE_BYTES, bytes.slice(at, count));
      }
    }
  }

  private static long end(Map.Entry<Long, MemoryRecord> range) {
    return range.getKey() + range.getValue().sizeBytes();
  }

  private void store(
      Map.Entry<Long, MemoryRecord> range, long offset, long length, ByteBuffer bytes) {
    SharedArea file = aperture;
    if (arrived != null) {
      arrived.store(range.getValue().serial(), offset - range.getKey(), length, bytes);
    } else if (file != null) {
      store(file, offset, length, bytes);
    }
  }

  /**
   * Written, not stored through a mapping: pages that are new, which most are, are then made
   * without being zeroed first and without a fault each; and a host that has no memory left says so
   * instead of killing who touches it.
   */
  private void store(SharedArea file, long offset, long length, ByteBuffer bytes) {
    if (bytes.isDirect() && bytes.hasRemaining()) {
      kernel.pwrite(file.fd(), MemorySegment.ofBuffer(bytes), file.offset() + offset);
      return;
    }
    MemorySegment run = staging.asSlice(0, length);
    if (bytes.hasRemaining()) {
      MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, run, 0, length);
    } else {
      run.fill((byte) 0);
    }
    kernel.pwrite(file.fd(), run, file.offset() + offset);
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

  private void flush() {
    if (arrived != null) {
      arrived.flush();
    }
  }

  /** Lets go of the window onto video memory, if there is one. */
  @Override
  public void close() {
    if (arrived != null) {
      arrived.close();
    }
  }
}
