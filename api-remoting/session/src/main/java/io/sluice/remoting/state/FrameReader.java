package io.sluice.remoting.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The reader of a frame's fields, each checked as it is read. It is no {@link
 * io.sluice.abi.FieldReader}: each number has bounds of its own, and what breaks them is a checked
 * exception, since the end of the stream is what follows from it.
 */
final class FrameReader {
  /** The reader of an element of a list. */
  @FunctionalInterface
  interface Element<T> {
    T read() throws StateException;
  }

  private final ByteBuffer fields;

  /**
   * @param fields of one frame, without its header
   */
  FrameReader(byte[] fields) {
    this.fields = ByteBuffer.wrap(fields).order(ByteOrder.LITTLE_ENDIAN);
  }

  int number() throws StateException {
    require(Integer.BYTES);
    return fields.getInt();
  }

  int number(int least, int most) throws StateException {
    int value = number();
    if (value < least || value > most) {
      throw new StateException("a number is beyond its bounds, value=" + value);
    }
    return value;
  }

  long large(long least, long most) throws StateException {
    require(Long.BYTES);
    long value = fields.getLong();
    if (value < least || value > most) {
      throw new StateException("a number is beyond its bounds, value=" + value);
    }
    return value;
  }

  byte[] bytes(int most) throws StateException {
    return segment(most).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Bytes as they stand in the frame. */
  MemorySegment segment(int most) throws StateException {
    int length = number(0, most);
    require(length);
    MemorySegment value = MemorySegment.ofBuffer(fields).asSlice(0, length);
    fields.position(fields.position() + length);
    return value;
  }

  /** A text without characters that control a terminal. */
  String text(int most) throws StateException {
    byte[] bytes = bytes(most);
    for (int i = 0; i < bytes.length; i++) {
      if (Character.isISOControl(bytes[i] & 0xff)) {
        bytes[i] = ' ';
      }
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  <T> List<T> list(int most, Element<T> element) throws StateException {
    int count = number(0, most);
    List<T> list = new ArrayList<>(Math.min(count, fields.remaining()));
    for (int i = 0; i < count; i++) {
      list.add(element.read());
    }
    return list;
  }

  private void require(int bytes) throws StateException {
    if (fields.remaining() < bytes) {
      throw new StateException("a frame ends within a field, remaining=" + fields.remaining());
    }
  }

  /** Nothing may be left. */
  void end() throws StateException {
    if (fields.hasRemaining()) {
      throw new StateException("a frame is longer than its fields, more=" + fields.remaining());
    }
  }
}
