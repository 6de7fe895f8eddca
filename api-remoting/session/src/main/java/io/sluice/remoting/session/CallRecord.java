package io.sluice.remoting.session;

import java.util.List;

/**
 * A call as it was received, with the objects it named: what it takes to make it again somewhere
 * else.
 *
 * @param message the message's bytes, header included
 */
public record CallRecord(int number, byte[] message, List<SessionObject> named) {
  @Override
  public String toString() {
    return "CallRecord[number=" + number + ", bytes=" + message.length + "]";
  }
}
