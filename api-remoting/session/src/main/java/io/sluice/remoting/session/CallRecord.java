package io.sluice.remoting.session;

import java.util.List;

/**
 * A call as it was received, with the objects it named: what it takes to make it again somewhere
 * else.
 *
 * @param message the message's bytes, header included
 */
public record CallRecord(int number, byte[] message, List<SessionObject> named) {
  /** That of what was there before the session, and of what nothing is made again of. */
  public static final CallRecord NONE = new CallRecord(0, new byte[0], List.of());

  @Override
  public String toString() {
    return "CallRecord[number=" + number + ", bytes=" + message.length + "]";
  }
}
