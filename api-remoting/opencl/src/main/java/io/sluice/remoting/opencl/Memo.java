package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The memory for the arguments of one call of the library: taken piece by piece, all given back
 * when the next call begins. The lists of a message fit, since a message does.
 */
final class Memo implements AutoCloseable {
  private static final long BYTES = 256 << 10;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment room = arena.allocate(BYTES, Long.BYTES);
  private long used;

  /** Forgets what was taken. */
  void clear() {
    used = 0;
  }

  /** Room that is zero, or that of a larger piece than usual if need be; until the next clear. */
  MemorySegment bytes(long count) {
    long at = used;
    used += count + 7 & -8;
    return room.asSlice(at, count).fill((byte) 0);
  }

  /** A copy of bytes. */
  MemorySegment copy(byte[] bytes) {
    return bytes(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  /** A string and the 0 behind it. */
  MemorySegment string(String text) {
    MemorySegment segment = bytes(text.length() + 1L);
    for (int i = 0; i < text.length(); i++) {
      segment.set(ValueLayout.JAVA_BYTE, i, (byte) text.charAt(i));
    }
    return segment;
  }

  /** A list of numbers of 64 bits; NULL if it is empty. */
  MemorySegment longs(long... values) {
    if (values.length == 0) {
      return MemorySegment.NULL;
    }
    return bytes(8L * values.length).copyFrom(MemorySegment.ofArray(values));
  }

  /** A part of a list. */
  MemorySegment longs(long[] values, int from, int count) {
    MemorySegment segment = bytes(8L * count);
    MemorySegment.copy(values, from, segment, ValueLayout.JAVA_LONG, 0, count);
    return segment;
  }

  /** The handles of objects; NULL if there are none. */
  MemorySegment handles(List<SessionObject> objects) {
    if (objects.isEmpty()) {
      return MemorySegment.NULL;
    }
    MemorySegment segment = bytes(8L * objects.size());
    for (int i = 0; i < objects.size(); i++) {
      segment.setAtIndex(ValueLayout.JAVA_LONG, i, objects.get(i).handle());
    }
    return segment;
  }

  @Override
  public void close() {
    arena.close();
  }
}
