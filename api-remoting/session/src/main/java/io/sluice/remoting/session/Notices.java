package io.sluice.remoting.session;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The way in which an application is told what it has not asked for in that moment. Belongs to the
 * session's thread.
 */
public interface Notices {
  /** An event has come as far as was asked for. */
  int EVENT = 1;

  /** Text that kernels printed: in the upper half how many bytes, at most {@link #TEXT_BYTES}. */
  int TEXT = 2;

  /** Bytes of text in one notice: its status, then its index, little-endian. */
  int TEXT_BYTES = 8;

  /** Tells the application. */
  void tell(int kind, int status, int index);

  /** Has text come out at the application's standard output, before what is told next. */
  default void print(byte[] text) {
    for (int at = 0; at < text.length; at += TEXT_BYTES) {
      int count = Math.min(TEXT_BYTES, text.length - at);
      ByteBuffer piece = ByteBuffer.allocate(TEXT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      piece.put(0, text, at, count);
      add(TEXT | count << Short.SIZE, piece.getInt(0), piece.getInt(Integer.BYTES));
    }
    int _ = write();
  }

  /**
   * Writes what waited for room.
   *
   * @return how many
   */
  int write();

  /** Writes nothing for now, or goes on to write. */
  void hold(boolean hold);

  /** Notices ever written. */
  int head();

  /** Those that wait for room: kind, status, index of each. */
  List<long[]> waiting();

  /** Goes on where another host stopped. */
  void goOn(int written);

  /** Has a notice wait that another host had waiting. */
  void add(int kind, int status, int index);

  /** Whether any wait for room. */
  boolean areWaiting();
}
