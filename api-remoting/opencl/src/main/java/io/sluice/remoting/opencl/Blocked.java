package io.sluice.remoting.opencl;

import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.OpenCall;
import io.sluice.remoting.session.SessionObject;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A call that waits, itself or by others, for events that the application has not set yet. */
final class Blocked {
  private final CallRecord record;
  private final int answerSlot;
  private final Set<SessionObject> roots;
  private final List<OpenCall.Change> before;
  private final List<SessionObject> writes;
  private final List<SessionObject> held;
  private @Nullable SessionObject made;
  private long event;
  private int rootsLeft;

  /**
   * @param roots the application's events
   * @param before changes as they are now that matter to it
   * @param writes what it will write
   * @param held objects that are retained while it waits
   */
  Blocked(
      CallRecord record,
      int answerSlot,
      Set<SessionObject> roots,
      List<OpenCall.Change> before,
      List<SessionObject> writes,
      List<SessionObject> held) {
    this.record = record;
    this.answerSlot = answerSlot;
    this.roots = roots;
    this.before = before;
    this.writes = writes;
    this.held = held;
    rootsLeft = roots.size();
  }

  /** Nothing of it is kept: it counts for those behind it alone. */
  void notKept() {
    rootsLeft = 0;
  }

  /** The event that it makes. */
  void made(SessionObject event) {
    made = event;
  }

  /**
   * The library's event of the command, retained as long as this is kept: some fail a chain of
   * commands by events that they have freed.
   */
  void retain(long handle) {
    int _ = OpenClLibrary.clRetainEvent(handle);
    event = handle;
  }

  /** The library's event of the command; 0 if it is none, or is not kept. */
  long event() {
    return event;
  }

  /** Whether all of the application's events but one are set. */
  boolean isHeldByOne() {
    return rootsLeft == 1;
  }

  /** Releases the command's event. */
  void releaseEvent() {
    if (event != 0) {
      int _ = OpenClLibrary.clReleaseEvent(event);
    }
  }

  /** The application's events that it waits for, set by now or not. */
  Set<SessionObject> roots() {
    return roots;
  }

  /**
   * One of them is set.
   *
   * @return whether it was the last
   */
  boolean rootIsSet() {
    return --rootsLeft == 0;
  }

  /** Whether one of them is not set, as far as that is known. */
  boolean isBlocked() {
    return rootsLeft > 0;
  }

  List<SessionObject> writes() {
    return writes;
  }

  List<SessionObject> named() {
    return record.named();
  }

  List<SessionObject> held() {
    return held;
  }

  /** As it is executed again elsewhere. */
  OpenCall open() {
    return new OpenCall(record, answerSlot, made, before);
  }

  /** About how many bytes it takes here. */
  long bytes() {
    return record.message().length + 32L * (before.size() + held.size()) + 256;
  }
}
