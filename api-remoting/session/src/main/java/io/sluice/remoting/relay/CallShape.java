package io.sluice.remoting.relay;

import io.sluice.abi.Errno;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.RingLayout;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The shape of a call's message, by which its ranges are found where its objects are not.
 *
 * @param parameters a letter for each: {@code n} a number of 8 bytes, {@code l} a list of those,
 *     {@code b} bytes, {@code r} a range that is read, {@code w} one that is written
 */
public record CallShape(String parameters) {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Adds the ranges of a message to lists. */
  public void find(byte[] message, List<MemoryRange> read, List<MemoryRange> written) {
    int at = RingLayout.HEADER_BYTES;
    for (int i = 0; i < parameters.length(); i++) {
      long word = number(message, at);
      at += Long.BYTES;
      switch (parameters.charAt(i)) {
        case 'n' -> {}
        case 'l' -> at += within(message, at, word, Long.BYTES);
        case 'b' -> at += within(message, at, word, 1) + 7 & -8;
        case 'r' -> at += add(word, number(message, at), read);
        case 'w' -> at += add(word, number(message, at), written);
        default -> throw new IllegalStateException("no such parameter, shape=" + parameters);
      }
    }
    if (at != message.length) {
      throw broken("a message is not as long as its parameters, bytes=" + message.length);
    }
  }

  private static int add(long place, long size, List<MemoryRange> to) {
    if (size != 0) {
      to.add(new MemoryRange(place, size));
    }
    return Long.BYTES;
  }

  private static int within(byte[] message, int at, long count, int each) {
    if (count < 0 || count > (message.length - at) / each) {
      throw broken("a list is longer than its message, count=" + count);
    }
    return (int) count * each;
  }

  /**
   * A number in a message.
   *
   * @param at where, from its first byte
   */
  public static long number(byte[] message, int at) {
    if (at > message.length - Long.BYTES) {
      throw broken("a message ends within its parameters, bytes=" + message.length);
    }
    return (long) LONG.get(message, at);
  }

  /** The parameter of a place, when those before it are numbers. */
  public static long parameter(byte[] message, int place) {
    return number(message, RingLayout.HEADER_BYTES + place * Long.BYTES);
  }

  private static ProtocolException broken(String why) {
    return new ProtocolException(Errno.EPROTO, why);
  }
}
