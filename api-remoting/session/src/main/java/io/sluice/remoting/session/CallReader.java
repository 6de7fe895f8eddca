package io.sluice.remoting.session;

import static io.sluice.remoting.session.RingLayout.HEADER_BYTES;
import static io.sluice.remoting.session.RingLayout.MESSAGE_BYTES;

import io.sluice.abi.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reader of one message after the other, from the host's own copy: parameters in the order of
 * the specification, each checked against the session. Belongs to the session's thread.
 *
 * <p>A parameter that breaks the encoding is a {@link ProtocolException}; an object that is not
 * there is a {@link NoSuchObjectException}.
 */
public final class CallReader {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  /** Most bytes of a string or a value within a message. */
  private static final int MOST_BYTES = 8192;

  private final byte[] message = new byte[MESSAGE_BYTES];
  private final ObjectTable objects;
  private final SharedMemory memory;
  private final List<SessionObject> named = new ArrayList<>();
  private @Nullable List<SessionObject> replayed; // objects of a record that is read again
  private int end;
  private int at;

  CallReader(ObjectTable objects, SharedMemory memory) {
    this.objects = objects;
    this.memory = memory;
  }

  /**
   * Takes the next message out of a ring.
   *
   * @return false if there is none
   */
  boolean next(SessionPort.CallSource ring) {
    replayed = null;
    end = ring.take(message);
    return begin();
  }

  /**
   * Reads a record again. The objects are those that it named, whatever has their numbers now.
   *
   * @throws ProtocolException for one that is no message
   */
  void replay(CallRecord record) {
    if (record.message().length < HEADER_BYTES || record.message().length > MESSAGE_BYTES) {
      throw new ProtocolException(
          Errno.EPROTO, "a record is no message, bytes=" + record.message().length);
    }
    load(record.message());
    replayed = record.named();
  }

  /** Takes a message that is not in a ring. */
  void load(byte[] bytes) {
    replayed = null;
    end = bytes.length;
    System.arraycopy(bytes, 0, message, 0, end);
    boolean _ = begin();
  }

  private boolean begin() {
    at = HEADER_BYTES;
    named.clear();
    return end > 0;
  }

  /** A copy of the message. */
  public byte[] message() {
    return Arrays.copyOf(message, end);
  }

  /** The number of the call. */
  int call() {
    return (short) SHORT.get(message, 4) & 0xffff;
  }

  /** The answer slot of the message, plus one; 0 for none. */
  int answerSlot() {
    return (int) INT.get(message, 8);
  }

  /** A number of 64 bits. */
  public long readLong() {
    if (end - at < Long.BYTES) {
      throw new ProtocolException(
          Errno.EPROTO, "a message ends within its parameters, bytes=" + end);
    }
    long value = (long) LONG.get(message, at);
    at += Long.BYTES;
    return value;
  }

  /** A number of 32 bits, the upper half of whose word does not count. */
  public int readInt() {
    return (int) readLong();
  }

  /** An index for the object that the call makes. */
  public int readNew(ObjectKind kind) {
    return objects.requireFree(kind, readIndex());
  }

  private int readIndex() {
    long index = readLong();
    return index >>> 31 == 0 ? (int) index : -1;
  }

  /** An object. */
  public SessionObject readObject(ObjectKind kind) {
    return named(kind, readIndex());
  }

  private SessionObject named(ObjectKind kind, int index) {
    SessionObject object = replayed == null ? objects.get(kind, index) : nextReplayed(kind);
    named.add(object);
    return object;
  }

  private SessionObject nextReplayed(ObjectKind kind) {
    List<SessionObject> list = replayed;
    if (list == null || named.size() >= list.size() || list.get(named.size()).kind() != kind) {
      throw new ProtocolException(
          Errno.EPROTO, "a record does not name the objects of its message, call=" + call());
    }
    return list.get(named.size());
  }

  /** An object, or null for index 0. */
  public @Nullable SessionObject readOptional(ObjectKind kind) {
    int index = readIndex();
    if (index == 0) {
      return null;
    }
    return named(kind, index);
  }

  /** A list of objects. */
  public List<SessionObject> readObjects(ObjectKind kind) {
    int count = readCount();
    List<SessionObject> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(readObject(kind));
    }
    return list;
  }

  /** A list of numbers. */
  public long[] readLongs() {
    long[] list = new long[readCount()];
    for (int i = 0; i < list.length; i++) {
      list[i] = readLong();
    }
    return list;
  }

  private int readCount() {
    long count = readLong();
    if (count < 0 || count > (end - at) / Long.BYTES) {
      throw new ProtocolException(
          Errno.EPROTO, "a list is longer than its message, count=" + count);
    }
    return (int) count;
  }

  /** Bytes within the message. */
  public byte[] readBytes() {
    long count = readLong();
    if (count < 0 || count > MOST_BYTES || (count + 7 & -8) > end - at) {
      throw new ProtocolException(
          Errno.EPROTO, "bytes are more than their message or too many, count=" + count);
    }
    byte[] bytes = Arrays.copyOfRange(message, at, at + (int) count);
    at += (int) (count + 7 & -8);
    return bytes;
  }

  /** A string within the message, without a terminating 0. */
  public String readString() {
    byte[] bytes = readBytes();
    for (byte b : bytes) {
      if (b == 0) {
        throw new ProtocolException(Errno.EPROTO, "a string has a 0 within");
      }
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** A piece of the session's memory, not empty. */
  public MemorySegment readRange() {
    MemorySegment range = readOptionalRange();
    if (range.byteSize() == 0) {
      throw new ProtocolException(Errno.EPROTO, "a range is empty");
    }
    return range;
  }

  /** A piece of the session's memory, or {@link MemorySegment#NULL} if its size is 0. */
  public MemorySegment readOptionalRange() {
    long place = readLong();
    long size = readLong();
    return size == 0 ? MemorySegment.NULL : memory.named(place, size);
  }

  /** The error of a number that no call has. */
  public ProtocolException unknown(int number) {
    return new ProtocolException(Errno.ENOSYS, "there is no such call, number=" + number);
  }

  /** Nothing may be left of the message. */
  public void end() {
    if (at != end) {
      throw new ProtocolException(
          Errno.EPROTO,
          "a message is longer than its parameters, call=" + call() + ", bytes=" + end);
    }
  }

  /** The message as a record. */
  public CallRecord record() {
    List<SessionObject> all = replayed == null ? named : replayed;
    return new CallRecord(
        call(), Arrays.copyOf(message, end), List.copyOf(all), objects.nextSerial(), 0);
  }
}
