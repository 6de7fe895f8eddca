package io.sluice.remoting.session;

import java.util.ArrayList;
import java.util.List;

/**
 * A call as it was received, with the objects it named: what it takes to make it again somewhere
 * else.
 *
 * @param message the message's bytes, header included
 * @param named objects, in the order in which the message names them
 * @param serial when it was received, in the order of all that happened
 * @param status what it led to
 */
public record CallRecord(
    int number, byte[] message, List<SessionObject> named, long serial, int status) {
  /** That of what was there before the session, and of what nothing is made again of. */
  public static final CallRecord NONE = new CallRecord(0, new byte[0], List.of(), 0, 0);

  /** The same with what it led to. */
  public CallRecord ledTo(int result) {
    return new CallRecord(number, message, named, serial, result);
  }

  /** The same with objects that the message names by mere numbers, behind the others. */
  public CallRecord naming(List<SessionObject> more) {
    List<SessionObject> all = new ArrayList<>(named);
    all.addAll(more);
    return new CallRecord(number, message, List.copyOf(all), serial, status);
  }

  /** The same of another object, the first that it names, at another time. */
  public CallRecord of(SessionObject other, long when) {
    List<SessionObject> all = new ArrayList<>(named);
    all.set(0, other);
    return new CallRecord(number, message, List.copyOf(all), when, status);
  }

  @Override
  public String toString() {
    return "CallRecord[number=" + number + ", bytes=" + message.length + "]";
  }
}
