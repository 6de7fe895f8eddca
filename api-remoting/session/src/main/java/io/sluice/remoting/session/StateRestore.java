package io.sluice.remoting.session;

import io.sluice.remoting.session.ApiState.SettledEvent;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A session that is made again of the items of a state stream, whose writer is taken for hostile:
 * messages are checked as those of an application are, by the same code. Before the session has a
 * thread; by one thread.
 */
final class StateRestore implements AutoCloseable {
  /** Most reasons that are kept. */
  private static final int MOST_REASONS = 64;

  /** Most objects, of all kinds and times: no session has had as many at once. */
  private static final int MOST_OBJECTS = 1 << 20;

  private final Session session;
  private final ApiState state;
  private final ObjectTable objects;
  private final Contents contents;
  private final String implementation;
  private final Map<Long, SessionObject> bySerial = new HashMap<>();
  private final Set<SessionObject> known =
      Collections.newSetFromMap(new IdentityHashMap<>()); // those of the stream
  private final Set<SessionObject> released =
      Collections.newSetFromMap(new IdentityHashMap<>()); // not in the table, to be given back
  private final Map<Long, String> missing = new HashMap<>(); // roots that are not here
  private final Set<Long> refused = new HashSet<>(); // made objects that could not be made again
  private final List<String> reasons = new ArrayList<>();
  private final List<HeldAnswer> answers = new ArrayList<>();
  private boolean rootsAreKnown;
  private boolean complete;

  /**
   * @param implementation of the writer
   */
  StateRestore(Session session, ApiState state, String implementation) {
    this.session = session;
    this.state = state;
    this.implementation = implementation;
    objects = session.context().objects();
    contents = state.contents();
    session.context().notices().hold(true);
  }

  /** What could not be made again so far. */
  List<String> reasons() {
    return List.copyOf(reasons);
  }

  private void refuse(String reason) {
    if (reasons.size() < MOST_REASONS) {
      reasons.add(reason);
    }
  }

  /**
   * Takes an item that says what the session has.
   *
   * @throws StateException for one that cannot be
   */
  void take(StateItem item) throws StateException {
    try {
      if (!(item instanceof StateItem.Root)) {
        removeOtherRoots();
      }
      if (!(item instanceof StateItem.Content)) {
        settle(); // objects may go
      }
      switch (item) {
        case StateItem.Root root -> root(root);
        case StateItem.Made made -> made(made);
        case StateItem.Changed changed -> changed(changed);
        case StateItem.Gone gone -> gone(gone);
        case StateItem.Content content -> content(content);
        case StateItem.Settled settled -> settled(settled);
        case StateItem.Open open -> open(open);
        case StateItem.Mapped mapped ->
            state.addMap(
                new ApiState.StorageMap(
                    object(mapped.object()), mapped.offset(), mapped.bytes(), mapped.flags()));
        case StateItem.Failure failure ->
            state.addFailure(object(failure.object()), failure.status());
        case StateItem.Notice notice ->
            session.context().notices().add(notice.kind(), notice.status(), notice.index());
        case StateItem.Ring ring -> ring(ring);
        default -> throw new StateException("an item that is out of place, item=" + item);
      }
    } catch (ProtocolException | NoSuchObjectException | IndexOutOfBoundsException e) {
      throw new StateException("an item cannot be, reason=" + e.getMessage());
    }
  }

  /** Waits for the contents that came: then it is known which of them could not be written. */
  void settle() {
    try {
      contents.await();
    } catch (UnmovableException refused) {
      refused.reasons().forEach(this::refuse);
    }
  }

  private void root(StateItem.Root root) throws StateException {
    if (rootsAreKnown) {
      throw new StateException("a root comes too late, name=" + root.name());
    }
    ObjectKind kind = objects.kind(root.object().kind());
    SessionObject here =
        objects.all(kind).stream()
            .filter(object -> object.index() == root.object().index())
            .findFirst()
            .orElse(null);
    if (here != null) {
      add(root.object(), here);
    } else if (missing.size() < MOST_OBJECTS) {
      missing.put(root.object().serial(), root.name());
    }
  }

  /** What this host has more, the application has never heard of, and may name otherwise. */
  private void removeOtherRoots() {
    if (rootsAreKnown) {
      return;
    }
    rootsAreKnown = true;
    for (ObjectKind kind : objects.kinds()) {
      for (SessionObject object : objects.all(kind)) {
        if (!known.contains(object)) {
          SessionObject _ = objects.remove(kind, object.index());
        }
      }
    }
  }

  private void made(StateItem.Made made) throws StateException {
    if (made.objects().isEmpty()) {
      throw new StateException("a call makes nothing, number=" + made.call().number());
    }
    StateItem.Entity first = made.objects().getFirst();
    String name = objects.kind(first.kind()).name() + " " + first.index();
    CallRecord record = record(made.call());
    if (record == null) {
      refuseForWant(name, made);
      return;
    }
    session.reader().replay(record);
    String reason = state.remake(record.number(), session.reader(), made.payload(), implementation);
    if (!reason.isEmpty()) {
      refuse(made, name + " " + reason);
      return;
    }
    for (StateItem.Entity entity : made.objects()) {
      adopt(entity);
    }
  }

  private void refuse(StateItem.Made made, String reason) {
    refuse(reason);
    made.objects().forEach(entity -> refused.add(entity.serial()));
  }

  /** What needs a thing that was refused itself is no reason more. */
  private void refuseForWant(String name, StateItem.Made made) {
    List<Long> wanted = made.call().named();
    List<String> roots = wanted.stream().filter(missing::containsKey).map(missing::get).toList();
    if (!roots.isEmpty()) {
      refuse(made, name + " needs " + String.join(", ", roots) + ", which is not here");
    } else if (wanted.stream().anyMatch(refused::contains)) {
      made.objects().forEach(entity -> refused.add(entity.serial()));
    } else {
      refuse(made, name + " needs what is not here");
    }
  }

  /** The object that a call has just made. */
  private void adopt(StateItem.Entity entity) throws StateException {
    ObjectKind kind = objects.kind(entity.kind());
    SessionObject object = objects.get(kind, entity.index());
    add(entity, object);
    if (entity.released()) {
      release(object);
    }
  }

  private void add(StateItem.Entity entity, SessionObject object) throws StateException {
    if (bySerial.size() >= MOST_OBJECTS
        || !known.add(object)
        || bySerial.put(entity.serial(), object) != null) {
      throw new StateException("an object stands twice, serial=" + entity.serial());
    }
  }

  private void release(SessionObject object) {
    SessionObject _ = objects.remove(object.kind(), object.index());
    released.add(object);
  }

  private void changed(StateItem.Changed changed) throws StateException {
    SessionObject owner = bySerial.get(changed.object());
    CallRecord record = record(changed.call());
    if (owner == null || record == null) {
      return; // said when it could not be made
    }
    if (record.named().isEmpty() || record.named().getFirst() != owner) {
      throw new StateException("a change is of another object, object=" + owner);
    }
    session.reader().replay(record);
    Status status = new Status();
    state.change(record.number(), session.reader(), status);
    session.context().finishWorks();
    if (changed.status() == 0 && status.value != 0) {
      refuse(owner + " cannot be changed here as it was, " + state.statusName(status.value));
    }
  }

  private void gone(StateItem.Gone gone) throws StateException {
    SessionObject object = bySerial.get(gone.object());
    if (object == null) {
      return;
    }
    if (!objects.has(object) || object.creation() == CallRecord.NONE) {
      throw new StateException("an object goes that is not there, object=" + object);
    }
    release(object);
    if (!gone.needed()) {
      bySerial.remove(gone.object());
      known.remove(object);
      released.remove(object);
      state.forget(object);
    }
  }

  private void content(StateItem.Content content) throws StateException {
    SessionObject object = bySerial.get(content.object());
    if (object == null) {
      return;
    }
    long bytes = contents.bytes(object);
    int piece = contents.pieceBytes(object);
    if (piece == 0
        || content.position() % piece != 0
        || content.length() > bytes - content.position()
        || content.length() % piece != 0 && content.position() + content.length() != bytes) {
      throw new StateException("content is not of its object, position=" + content.position());
    }
    MemorySegment all =
        content.bytes().byteSize() == 0
            ? MemorySegment.ofArray(new byte[content.length()])
            : content.bytes();
    try {
      contents.write(object, content.position(), all);
    } catch (UnmovableException refused) {
      refused.reasons().forEach(this::refuse);
    }
  }

  private void settled(StateItem.Settled settled) throws StateException {
    if (settled.event().kind() != state.events().number()) {
      throw new StateException("what is settled is no event, kind=" + settled.event().kind());
    }
    SessionObject event =
        state.addSettled(
            settled.event().index(), new SettledEvent(settled.status(), settled.times()));
    add(settled.event(), event);
    if (settled.event().released()) {
      release(event);
    }
  }

  private void open(StateItem.Open open) throws StateException {
    CallRecord record = record(open.call());
    if (record == null) {
      if (reasons.isEmpty()) {
        throw new StateException("a call needs what is not here, number=" + open.call().number());
      }
      return; // said when it could not be made
    }
    HeldAnswer answer =
        new HeldAnswer(session.answers().toOpen(record.serial(), open.answerSlot()));
    answers.add(answer);
    ApiSession execution = session.execution();
    session.reader().replay(record);
    try {
      execution.execute(record.number(), session.reader(), answer);
    } catch (NoSuchObjectException missing) {
      answer.give(execution.statusOfMissing(missing.kind()));
    }
    for (StateItem.Entity made : open.made()) {
      adopt(made);
    }
  }

  private void ring(StateItem.Ring ring) throws StateException {
    if (ring.submitTail() % Long.BYTES != 0) {
      throw new StateException("a ring has a tail that cannot be, tail=" + ring.submitTail());
    }
    session.submissions().goOn(ring.submitTail());
    session.context().notices().goOn(ring.noticeHead());
    session.goOn(ring.calls());
  }

  /** A record of the objects that are here; null if one of them could not be made. */
  private @org.jspecify.annotations.Nullable CallRecord record(StateItem.KeptCall call) {
    List<SessionObject> named = new ArrayList<>(call.named().size());
    for (long serial : call.named()) {
      SessionObject object = bySerial.get(serial);
      if (object == null) {
        return null;
      }
      named.add(object);
    }
    return new CallRecord(call.number(), call.message(), List.copyOf(named), call.serial(), 0);
  }

  private SessionObject object(long serial) throws StateException {
    SessionObject object = bySerial.get(serial);
    if (object == null) {
      throw new StateException("an item is of an object that is not there, serial=" + serial);
    }
    return object;
  }

  /**
   * Nothing comes any more: has storage read, gives back what was released.
   *
   * @param memoryIsHere whether the application's memory is as it must be; else it is at {@link
   *     #begin}
   */
  void finish(boolean memoryIsHere) {
    settle();
    contents.close();
    if (memoryIsHere) {
      complete();
    }
  }

  private void complete() {
    state.readStorage();
    complete = true;
    released.forEach(state::forget);
    released.clear();
  }

  /** The session is this host's: says what there is to say. */
  void begin() {
    if (!complete) {
      complete();
    }
    answers.forEach(HeldAnswer::release);
    session.context().notices().hold(false);
  }

  @Override
  public void close() {
    contents.close();
    released.forEach(state::forget);
    released.clear();
  }

  /** The status of a change. */
  private static final class Status implements Answer {
    private int value = -1;

    @Override
    public boolean isWaitedFor() {
      return true;
    }

    @Override
    public void give(int status, long... values) {
      value = status;
    }
  }

  /**
   * An answer that is given once the session is this host's. Belongs to the thread that makes the
   * session again, then to the session's.
   */
  private static final class HeldAnswer implements Answer {
    private final Answer answer;
    private @Nullable Runnable given;
    private boolean free;

    HeldAnswer(Answer answer) {
      this.answer = answer;
    }

    @Override
    public int slotPlusOne() {
      return answer.slotPlusOne();
    }

    @Override
    public boolean isWaitedFor() {
      return answer.isWaitedFor();
    }

    @Override
    public void give(int status, long... values) {
      if (free) {
        answer.give(status, values);
      } else {
        given = () -> answer.give(status, values);
      }
    }

    @Override
    public boolean expectsBytes() {
      return answer.expectsBytes();
    }

    @Override
    public void written() {
      answer.written();
    }

    /** Gives it, now or when it comes. */
    void release() {
      free = true;
      if (given != null) {
        given.run();
      }
    }
  }
}
