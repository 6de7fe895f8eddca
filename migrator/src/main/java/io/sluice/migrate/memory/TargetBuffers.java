package io.sluice.migrate.memory;

import io.sluice.channel.guest.GuestRestore;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that the peer has announced and this GPU has granted, by where their pages are named
 * on the way. They change only while no lane stores.
 */
final class TargetBuffers {
  private final GuestRestore restore;
  private final boolean hasAperture;
  private final BufferOffsets positions = new BufferOffsets();
  private final TreeMap<Long, BufferRange> ranges = new TreeMap<>();
  private final Map<Long, Long> offsets = new HashMap<>(); // by serial number
  private int epoch;

  /**
   * The range that a buffer's pages go to.
   *
   * @param offset of the first, on the way
   * @param since the epoch that the buffer began
   */
  record BufferRange(MemoryRecord record, long offset, int since) {
    long end() {
      return offset + record.sizeBytes();
    }

    /** Whether pages of an epoch are this buffer's, and not its predecessor's at the same place. */
    boolean isOf(int ofEpoch) {
      return ofEpoch - since >= 0;
    }
  }

  /**
   * @param hasAperture whether buffers have places in one
   */
  TargetBuffers(GuestRestore restore, boolean hasAperture) {
    this.restore = restore;
    this.hasAperture = hasAperture;
  }

  /** Takes BUFFER. */
  void add(Frame frame) {
    if (!(RecordCodec.decode(Section.read(frame.reader())) instanceof MemoryRecord record)
        || record.registered()
        || record.apertureOffset().isPresent() != hasAperture) {
      throw PageFrames.bad("announces no buffer of video memory", frame);
    }
    restore.add(record);
    epoch++;
    long offset = positions.take(record);
    offsets.put(record.serial(), offset);
    ranges.put(offset, new BufferRange(record, offset, epoch));
  }

  /** Takes BUFFER_GONE. */
  void remove(Frame frame) {
    ByteBuffer in = frame.reader();
    if (frame.type() != FrameType.BUFFER_GONE || in.remaining() != Long.BYTES) {
      throw PageFrames.bad("names no buffer", frame);
    }
    long serial = in.getLong();
    restore.remove(serial);
    epoch++;
    Long offset = offsets.remove(serial);
    if (offset != null) {
      ranges.remove(offset);
    }
  }

  /** Whether all has come that was announced before a frame. */
  boolean hasReached(int frameEpoch) {
    return frameEpoch - epoch <= 0;
  }

  /** The last buffer that begins at an offset, or before. */
  @Nullable BufferRange floor(long offset) {
    Map.Entry<Long, BufferRange> entry = ranges.floorEntry(offset);
    return entry == null ? null : entry.getValue();
  }
}
