package io.sluice.remoting.opencl;

import static java.util.Comparator.comparingLong;

import io.sluice.abi.Errno;
import io.sluice.remoting.relay.CallRanges;
import io.sluice.remoting.relay.CallShape;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of a session's calls. Most messages name theirs. Maps do not: what a map of a buffer
 * in the application's memory shows is written by the map, and read by its unmap if the application
 * may have written there. What the application may be writing by another map is newer than the
 * buffer, and so is not written. So buffers of that kind and their maps are noted here.
 */
final class OpenClRanges implements CallRanges {
  private static final int RELEASE = 5;
  private static final int CREATE_MAPPED_BUFFER = 14;
  private static final int MAP_BUFFER = 56;
  private static final int UNMAP_BUFFER = 57;

  /** Most maps of a session: no more fit the limit of its memory in bytes. */
  private static final int MOST_MAPS = 1 << 20;

  /** Parameters of a map, and of an unmap as far as it has them. */
  private static final int MEM = 1;

  private static final int MAP_FLAGS = 2;
  private static final int MAP_OFFSET = 3;
  private static final int MAP_SIZE = 4;
  private static final int UNMAP_OFFSET = 2;

  /** The last parameters of what makes a buffer in the application's memory. */
  private static final int STORAGE = 3;

  private final Map<Long, HostBuffer> byIndex = new HashMap<>();
  private final Map<Long, HostBuffer> bySerial = new HashMap<>();
  private int count;

  /** A map: of how many bytes, and whether the application may write. */
  private record HostMap(long offset, long bytes, boolean writes) {
    long end() {
      return offset + bytes;
    }
  }

  /** A buffer in the application's memory. */
  private record HostBuffer(MemoryRange storage, Map<Long, Deque<HostMap>> windows) {
    HostBuffer(MemoryRange storage) {
      this(storage, new HashMap<>());
    }

    /** What of a range of it, of at least one byte, no map is there to write. */
    List<MemoryRange> unwritten(long offset, long bytes) {
      long end = offset + bytes;
      List<HostMap> written =
          windows.values().stream()
              .flatMap(Deque::stream)
              .filter(map -> map.writes() && map.offset() < end && map.end() > offset)
              .toList();
      return without(written, offset, end);
    }

    /** What maps leave of a range. */
    List<MemoryRange> without(List<HostMap> maps, long from, long to) {
      List<MemoryRange> parts = new ArrayList<>();
      long at = from;
      for (HostMap map : maps.stream().sorted(comparingLong(HostMap::offset)).toList()) {
        if (at < Math.min(map.offset(), to)) {
          parts.add(at(at, Math.min(map.offset(), to) - at));
        }
        at = Math.max(at, map.end());
      }
      if (at < to) {
        parts.add(at(at, to - at));
      }
      return parts;
    }

    MemoryRange at(long offset, long bytes) {
      if (offset < 0 || bytes <= 0 || offset > storage.size() || bytes > storage.size() - offset) {
        throw new ProtocolException(Errno.EPROTO, "a map is outside its buffer, offset=" + offset);
      }
      return new MemoryRange(storage.place() + offset, bytes);
    }
  }

  @Override
  public NamedRanges of(int number, byte[] message) {
    NamedRanges named = named(number, message);
    switch (number) {
      case CREATE_MAPPED_BUFFER -> {
        long index = CallShape.parameter(message, 0);
        forget(index);
        if (!named.read().isEmpty() && byIndex.size() < OpenClKinds.MEM.most()) {
          byIndex.put(index, new HostBuffer(named.read().getFirst()));
        }
      }
      case MAP_BUFFER -> map(message, byIndex.get(CallShape.parameter(message, MEM)), named);
      case UNMAP_BUFFER -> unmap(message, byIndex.get(CallShape.parameter(message, MEM)), named);
      case RELEASE -> {
        if (CallShape.parameter(message, 0) == OpenClKinds.MEM.number()) {
          forget(CallShape.parameter(message, 1));
        }
      }
      default -> {}
    }
    return named;
  }

  private static NamedRanges named(int number, byte[] message) {
    CallShape shape = OpenClShapes.ALL.get(number);
    if (shape == null) {
      throw new ProtocolException(Errno.ENOSYS, "there is no such call, number=" + number);
    }
    NamedRanges named = new NamedRanges(new ArrayList<>(), new ArrayList<>());
    shape.find(message, named.read(), named.written());
    return named;
  }

  private void map(byte[] message, @Nullable HostBuffer buffer, NamedRanges named) {
    if (buffer == null) {
      return; // it will be refused
    }
    long flags = CallShape.parameter(message, MAP_FLAGS);
    long offset = CallShape.parameter(message, MAP_OFFSET);
    long bytes = CallShape.parameter(message, MAP_SIZE);
    MemoryRange _ = buffer.at(offset, bytes);
    if ((flags & ClParam.MAP_WRITE_INVALIDATE_REGION) == 0) {
      named.written().addAll(unwritten(buffer, offset, bytes));
    }
    note(buffer, offset, bytes, flags);
  }

  private static List<MemoryRange> unwritten(HostBuffer buffer, long offset, long bytes) {
    List<MemoryRange> parts = buffer.unwritten(offset, bytes);
    if (parts.size() > MemoryRange.MOST) {
      throw new ProtocolException(Errno.ENOBUFS, "a map is of too many parts, is=" + parts.size());
    }
    return parts;
  }

  private void note(HostBuffer buffer, long offset, long bytes, long flags) {
    if (count >= MOST_MAPS) {
      throw new ProtocolException(Errno.ENOBUFS, "maps are too many, count=" + count);
    }
    boolean writes = (flags & (ClParam.MAP_WRITE | ClParam.MAP_WRITE_INVALIDATE_REGION)) != 0;
    HostMap window = new HostMap(offset, bytes, writes);
    buffer.windows().computeIfAbsent(offset, _ -> new ArrayDeque<>()).push(window);
    count++;
  }

  private void unmap(byte[] message, @Nullable HostBuffer buffer, NamedRanges named) {
    Deque<HostMap> at =
        buffer == null ? null : buffer.windows().get(CallShape.parameter(message, UNMAP_OFFSET));
    if (buffer == null || at == null || at.isEmpty()) {
      return; // it will be refused
    }
    HostMap window = at.pop();
    count--;
    if (window.writes()) {
      named.read().add(buffer.at(window.offset(), window.bytes()));
    }
  }

  private void forget(long index) {
    HostBuffer gone = byIndex.remove(index);
    if (gone != null) {
      count -= gone.windows().values().stream().mapToInt(Deque::size).sum();
    }
  }

  @Override
  public NamedRanges of(StateItem.Open item) {
    NamedRanges named = named(item.call().number(), item.call().message());
    if (item.call().named().size() > MEM) {
      HostBuffer buffer = bySerial.get(item.call().named().get(MEM));
      switch (item.call().number()) {
        case MAP_BUFFER -> map(item.call().message(), buffer, named);
        case UNMAP_BUFFER -> unmap(item.call().message(), buffer, named);
        default -> {}
      }
    }
    return named;
  }

  @Override
  public void take(StateItem item) {
    switch (item) {
      case StateItem.Made made -> made(made);
      case StateItem.Gone gone -> gone(gone);
      case StateItem.Mapped mapped -> {
        HostBuffer buffer = bySerial.get(mapped.object());
        if (buffer != null) {
          MemoryRange _ = buffer.at(mapped.offset(), mapped.bytes());
          note(buffer, mapped.offset(), mapped.bytes(), mapped.flags());
        }
      }
      default -> {}
    }
  }

  private void made(StateItem.Made made) {
    if (made.call().number() != CREATE_MAPPED_BUFFER || made.objects().isEmpty()) {
      return;
    }
    byte[] message = made.call().message();
    MemoryRange storage =
        new MemoryRange(
            CallShape.parameter(message, STORAGE), CallShape.parameter(message, STORAGE + 1));
    HostBuffer buffer = new HostBuffer(storage);
    StateItem.Entity entity = made.objects().getFirst();
    bySerial.put(entity.serial(), buffer);
    if (!entity.released()) {
      byIndex.put((long) entity.index(), buffer);
    }
  }

  private void gone(StateItem.Gone gone) {
    HostBuffer buffer = bySerial.get(gone.object());
    if (buffer != null) {
      boolean _ = byIndex.values().remove(buffer);
      if (!gone.needed()) {
        bySerial.remove(gone.object());
      }
    }
  }

  @Override
  public List<MemoryRange> storage() {
    return bySerial.values().stream().map(HostBuffer::storage).toList();
  }

  @Override
  public List<MemoryRange> unmappedStorage() {
    List<MemoryRange> all = new ArrayList<>();
    for (HostBuffer buffer : bySerial.values()) {
      List<HostMap> maps = buffer.windows().values().stream().flatMap(Deque::stream).toList();
      all.addAll(buffer.without(maps, 0, buffer.storage().size()));
    }
    return all;
  }
}
