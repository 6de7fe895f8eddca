package io.sluice.remoting.session;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.ApiState.SettledEvent;
import io.sluice.remoting.state.StateCodec;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.UnmovableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The content of a session as items of a state stream: first all, then what has changed since. By
 * the session's thread.
 */
final class StateCapture {
  /** An item and its place in the order of all that happened. */
  private record OrderedItem(long serial, StateItem item) {}

  /** An item and the files that come with it. */
  record Outgoing(StateItem item, List<Fd> files) {}

  private final Session session;
  private final SharedMemory memory;
  private final ApiState state;
  private final ObjectTable objects;
  private final boolean withMachine;
  private final Set<SessionObject> sent = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<SessionObject> gone = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Integer> segments = new HashSet<>();
  private final Set<Long> calls = new HashSet<>(); // serials of changes that were sent
  private Set<SessionObject> needed = Set.of();

  /**
   * @param withMachine whether the machine moves whose memory it is
   */
  StateCapture(Session session, SharedMemory memory, ApiState state, boolean withMachine) {
    this.session = session;
    this.memory = memory;
    this.state = state;
    this.withMachine = withMachine;
    objects = session.context().objects();
  }

  /** Objects that are needed, as of the last {@link #objects}. */
  Set<SessionObject> needed() {
    return needed;
  }

  /**
   * Segments and objects that were not sent yet, in the order in which they were made.
   *
   * @throws UnmovableException when one cannot be made again
   */
  List<Outgoing> objects() throws UnmovableException {
    List<Outgoing> out = new ArrayList<>();
    addSegments(out);
    needed = reachable();
    addGone(out);
    List<OrderedItem> ordered = new ArrayList<>();
    List<String> obstacles = new ArrayList<>();
    for (SessionObject object : needed) {
      if (object.creation() == CallRecord.NONE) {
        if (object.kind() != state.events() && sent.add(object)) {
          ordered.add(new OrderedItem(0, new StateItem.Root(entity(object), state.nameOf(object))));
        }
      } else if (object.kind() != state.events()) {
        addMade(object, ordered, obstacles);
        for (CallRecord change : state.changesOf(object)) {
          if (calls.add(change.serial())) {
            ordered.add(new OrderedItem(change.serial(), changed(object, change)));
          }
        }
      }
    }
    if (!obstacles.isEmpty()) {
      throw new UnmovableException(obstacles);
    }
    addAll(ordered, out);
    return out;
  }

  private void addSegments(List<Outgoing> out) {
    for (int i = 0; i < SharedMemory.MOST_SEGMENTS; i++) {
      long bytes = memory.segmentBytes(i);
      if (bytes > 0 && segments.add(i)) {
        SharedMemory.BackingFiles backing =
            withMachine ? SharedMemory.BackingFiles.NONE : memory.backing(i);
        out.add(new Outgoing(new StateItem.Segment(i, bytes, backing.parts()), backing.files()));
      }
    }
  }

  private void addGone(List<Outgoing> out) {
    for (SessionObject object : List.copyOf(sent)) {
      if (!objects.has(object) && gone.add(object)) {
        out.add(
            new Outgoing(new StateItem.Gone(object.serial(), needed.contains(object)), List.of()));
      }
    }
  }

  private void addMade(SessionObject object, List<OrderedItem> ordered, List<String> obstacles) {
    if (sent.contains(object)) {
      return;
    }
    List<StateItem.Entity> entities = new ArrayList<>();
    for (SessionObject each : state.madeWith(object)) {
      entities.add(entity(each));
      sent.add(each);
      if (!objects.has(each)) {
        gone.add(each);
      }
    }
    byte[] payload;
    try {
      payload = state.payloadOf(object);
    } catch (UnmovableException unmovable) {
      obstacles.addAll(unmovable.reasons());
      return;
    }
    if (payload.length > StateCodec.PAYLOAD_BYTES) {
      obstacles.add(object + " has too much to be sent, bytes=" + payload.length);
      return;
    }
    ordered.add(
        new OrderedItem(
            object.creation().serial(),
            new StateItem.Made(entities, call(object.creation()), payload)));
  }

  private static void addAll(List<OrderedItem> ordered, List<Outgoing> out) {
    ordered.sort(Comparator.comparingLong(OrderedItem::serial));
    ordered.forEach(each -> out.add(new Outgoing(each.item(), List.of())));
  }

  /** All in the table, and what they were made of, whether it was released or not. */
  private Set<SessionObject> reachable() {
    Set<SessionObject> found = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<SessionObject> open = new ArrayDeque<>();
    for (ObjectKind kind : objects.kinds()) {
      open.addAll(objects.all(kind));
    }
    for (OpenCall call : state.openCalls()) {
      open.addAll(call.record().named());
      call.before().forEach(change -> open.addAll(change.call().named()));
    }
    for (SessionObject next = open.poll(); next != null; next = open.poll()) {
      if (found.add(next)) {
        open.addAll(next.creation().named());
        state.changesOf(next).forEach(change -> open.addAll(change.named()));
        if (next.kind() != state.events() && next.creation() != CallRecord.NONE) {
          open.addAll(state.madeWith(next));
        }
      }
    }
    return found;
  }

  /** All else, when nothing is taken any more and what was taken has come to its end. */
  List<StateItem> rest() {
    List<OrderedItem> ordered = new ArrayList<>();
    Set<SessionObject> made = Collections.newSetFromMap(new IdentityHashMap<>());
    List<StateItem> after = new ArrayList<>();
    List<OpenCall> open = state.openCalls();
    for (OpenCall call : open) {
      if (call.made() != null) {
        made.add(call.made());
      }
      addOpen(call, ordered, after);
    }
    for (SessionObject event : needed) {
      if (event.kind() == state.events() && !made.contains(event)) {
        ordered.add(event(event));
      }
    }
    ordered.sort(
        Comparator.comparingLong(OrderedItem::serial)); // keeps what has one serial in order
    List<StateItem> items = new ArrayList<>();
    for (ApiState.StorageMap map : state.maps()) { // open calls may end them
      items.add(
          new StateItem.Mapped(map.object().serial(), map.offset(), map.bytes(), map.flags()));
    }
    ordered.forEach(each -> items.add(each.item()));
    items.addAll(after);
    state
        .failures()
        .forEach((object, status) -> items.add(new StateItem.Failure(object.serial(), status)));
    Notices notices = session.context().notices();
    for (long[] notice : notices.waiting()) {
      items.add(new StateItem.Notice((int) notice[0], (int) notice[1], (int) notice[2]));
    }
    items.add(new StateItem.Ring(session.submissions().tail(), notices.head(), session.calls()));
    return items;
  }

  private void addOpen(OpenCall call, List<OrderedItem> ordered, List<StateItem> after) {
    long serial = call.record().serial();
    for (OpenCall.Change change : call.before()) {
      ordered.add(new OrderedItem(serial, changed(change.object(), change.call())));
    }
    SessionObject made = call.made();
    ordered.add(
        new OrderedItem(
            serial,
            new StateItem.Open(
                call(call.record()),
                call.answerSlot(),
                made == null ? List.of() : List.of(entity(made)))));
    // What the call needed is not what is there now.
    call.before().stream()
        .map(OpenCall.Change::object)
        .distinct()
        .forEach(object ->
            state.changesOf(object).forEach(change -> after.add(changed(object, change))));
  }

  private OrderedItem event(SessionObject event) {
    SettledEvent settled = state.settled(event);
    if (settled == null) {
      return new OrderedItem(
          event.serial(),
          new StateItem.Made(List.of(entity(event)), call(event.creation()), new byte[0]));
    }
    return new OrderedItem(
        event.serial(),
        new StateItem.Settled(entity(event), event.serial(), settled.status(), settled.times()));
  }

  private StateItem.Changed changed(SessionObject object, CallRecord change) {
    return new StateItem.Changed(object.serial(), call(change), change.status());
  }

  private StateItem.Entity entity(SessionObject object) {
    return new StateItem.Entity(
        object.kind().number(), object.index(), object.serial(), !objects.has(object));
  }

  private static StateItem.KeptCall call(CallRecord record) {
    return new StateItem.KeptCall(
        record.number(),
        record.serial(),
        record.message(),
        record.named().stream().map(SessionObject::serial).toList());
  }
}
