package io.sluice.remoting.opencl;

import io.sluice.remoting.session.ApiState.StorageMap;
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
  private @Nullable StorageMap ended;
  private @Nullable Blocked endedBy;
  private long event;
  private int rootsLeft;
  private boolean holding;

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
   * It ends a map that is there until then.
   *
   * @param by the call that makes the map, if that was to wait for the application
   */
  void ends(StorageMap map, @Nullable Blocked by) {
    ended = map;
    endedBy = by;
  }

  /** The map that it ends; null for none. */
  @Nullable StorageMap ended() {
    return ended;
  }

  /** The call that makes that map, if it was to wait for the application. */
  @Nullable Blocked endedBy() {
    return endedBy;
  }

  /**
   * The library's event of the command, retained: some fail a chain of commands by events that they
   * have freed. {@link Gates} releases it.
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

  /** The queue of a command. */
  SessionObject queue() {
    return named().stream()
        .filter(object -> object.kind() == OpenClKinds.QUEUE)
        .findFirst()
        .orElseThrow();
  }

  /** The library's events that the command waits for, but for those of the application. */
  List<Long> awaited() {
    return held.stream()
        .filter(object -> object.kind() == OpenClKinds.EVENT && !roots.contains(object))
        .map(SessionObject::handle)
        .distinct()
        .toList();
  }

  /** Retains the objects that it holds. */
  void hold() {
    held.forEach(Retained::retain);
    holding = true;
  }

  /** Whether it holds them. */
  boolean isHolding() {
    return holding;
  }

  /** Releases them. */
  void release() {
    held.forEach(Retained::release);
    holding = false;
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

  /** As it is executed again elsewhere. */
  OpenCall open() {
    return new OpenCall(record, answerSlot, made, before);
  }

  /** About how many bytes it takes here. */
  long bytes() {
    return record.message().length + 32L * (before.size() + held.size()) + 256;
  }
}
