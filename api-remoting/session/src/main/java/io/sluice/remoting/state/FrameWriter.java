package io.sluice.remoting.state;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The writer of frames behind one another in a buffer that grows as it must. It is no {@link
 * io.sluice.abi.FieldWriter}: one buffer serves a stream, whose frames have up to 16 MiB, and a
 * frame's length is put before its fields once they are there.
 */
final class FrameWriter {
  private static final int FIRST_BYTES = 64 << 10;

  private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int start;

  /** Begins a frame. */
  void begin(int type) {
    start = buffer.position();
    room(StateCodec.HEADER_BYTES);
    buffer.putInt(0).putShort((short) type).putShort((short) 0);
  }

  /** Ends the frame that was begun. */
  void end() {
    int bytes = buffer.position() - start;
    if (bytes > StateCodec.FRAME_BYTES) {
      throw new IllegalArgumentException("a frame is too long, bytes=" + bytes);
    }
    buffer.putInt(start, bytes);
  }

  void number(int value) {
    room(Integer.BYTES).putInt(value);
  }

  void large(long value) {
    room(Long.BYTES).putLong(value);
  }

  void bytes(byte[] value) {
    number(value.length);
    room(value.length).put(value);
  }

  void bytes(MemorySegment value) {
    int length = Math.toIntExact(value.byteSize());
    number(length);
    ByteBuffer into = room(length);
    MemorySegment.copy(value, 0, MemorySegment.ofArray(into.array()), into.position(), length);
    into.position(into.position() + length);
  }

  /** A text, of which no more than so many bytes are written. */
  void text(String value, int most) {
    byte[] all = value.getBytes(StandardCharsets.ISO_8859_1);
    bytes(all.length <= most ? all : Arrays.copyOf(all, most));
  }

  <T> void list(List<T> values, Consumer<T> each) {
    number(values.size());
    values.forEach(each);
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      int wanted = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
      buffer = ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN).put(buffer.flip());
    }
    return buffer;
  }

  /** Bytes that wait. */
  int size() {
    return buffer.position();
  }

  /** The bytes that wait; {@link #clear} forgets them. */
  byte[] array() {
    return buffer.array();
  }

  void clear() {
    buffer.clear();
  }
}
