package io.sluice.channel.nvidia.relay.link;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The space in the segments of a program in a machine: what of it is free, in whole pages. */
final class SegmentSpace {
  /**
   * A piece of a segment.
   *
   * @param segment its index
   */
  record SpaceRange(int segment, long offset, long bytes) {
    long end() {
      return offset + bytes;
    }
  }

  private static final class OwnSegment {
    final MemorySegment memory;
    final TreeMap<Long, Long> free = new TreeMap<>(); // bytes by offsets
    long used; // what lies behind was never given away

    OwnSegment(MemorySegment memory) {
      this.memory = memory;
      free.put(0L, memory.byteSize());
    }
  }

  private final TreeMap<Integer, OwnSegment> segments = new TreeMap<>();

  /** The bytes of all segments. */
  long bytes() {
    return segments.values().stream().mapToLong(segment -> segment.memory.byteSize()).sum();
  }

  void add(int index, MemorySegment memory) {
    segments.put(index, new OwnSegment(memory));
  }

  /** Takes the smallest free piece that is long enough. */
  Optional<SpaceRange> take(long bytes) {
    Optional<SpaceRange> best = Optional.empty();
    for (Map.Entry<Integer, OwnSegment> each : segments.entrySet()) {
      for (Map.Entry<Long, Long> hole : each.getValue().free.entrySet()) {
        if (hole.getValue() >= bytes && best.filter(b -> b.bytes() <= hole.getValue()).isEmpty()) {
          best = Optional.of(new SpaceRange(each.getKey(), hole.getKey(), hole.getValue()));
        }
      }
    }
    return best.map(hole -> cut(hole, bytes));
  }

  private SpaceRange cut(SpaceRange hole, long bytes) {
    OwnSegment segment = at(hole);
    segment.free.remove(hole.offset());
    if (hole.bytes() > bytes) {
      segment.free.put(hole.offset() + bytes, hole.bytes() - bytes);
    }
    return new SpaceRange(hole.segment(), hole.offset(), bytes);
  }

  private OwnSegment at(SpaceRange place) {
    return Objects.requireNonNull(segments.get(place.segment()));
  }

  /** The memory of a piece. */
  MemorySegment memory(SpaceRange place) {
    return at(place).memory.asSlice(place.offset(), place.bytes());
  }

  /** Makes what is taken zeros, where it is not as it came. */
  void clear(SpaceRange place) {
    OwnSegment segment = at(place);
    long dirty = Math.min(place.end(), segment.used) - place.offset();
    if (dirty > 0) {
      segment.memory.asSlice(place.offset(), dirty).fill((byte) 0);
    }
    segment.used = Math.max(segment.used, place.end());
  }

  /** Gives a piece back that was taken. */
  void giveBack(SpaceRange place) {
    OwnSegment segment = at(place);
    segment.used = Math.max(segment.used, place.end());
    long offset = place.offset();
    long end = place.end();
    Map.Entry<Long, Long> before = segment.free.floorEntry(offset);
    if (before != null && before.getKey() + before.getValue() == offset) {
      offset = before.getKey();
    }
    Long after = segment.free.remove(end);
    if (after != null) {
      end += after;
    }
    segment.free.put(offset, end - offset);
  }
}
