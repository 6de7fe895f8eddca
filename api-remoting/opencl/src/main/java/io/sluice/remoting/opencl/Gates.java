package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiState.StorageMap;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.OpenCall;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait for events which the application sets. They do not come to their end before
 * it does, so that a session that moves takes them along: they are executed again elsewhere, and
 * here they fail without having run. While no such event is pending nothing is kept.
 *
 * <p>Belongs to the session's thread.
 */
final class Gates {
  /** Most calls, and bytes of them, and events that each of them waits for, all together. */
  private static final int MOST_CALLS = 1 << 16;

  private static final long MOST_BYTES = 64L << 20;
  private static final long MOST_ROOTS = 1 << 20;

  /** Most events of commands in an out-of-order queue that has calls that wait. */
  private static final int MOST_FENCES = 1 << 12;

  /** Most events that are kept of a queue; beyond it those that its commands waited for are not. */
  private static final int MOST_KEPT = 1 << 14;

  /** How long a failed event is kept after a command before it has ended. */
  private static final long FAILED_NS = 1_000_000_000;

  private final Memo memo;
  private final Touched touched;
  private final Completions completions;
  private final LongSupplier nanoTime;
  private final Set<SessionObject> pending =
      Collections.newSetFromMap(new IdentityHashMap<>()); // events
  private final Map<SessionObject, List<Blocked>> waiting = new IdentityHashMap<>();
  private final Set<Blocked> blocked = new LinkedHashSet<>();
  private final Map<SessionObject, Lane> lanes = new IdentityHashMap<>();
  private @Nullable CallReader current;
  private @Nullable Blocked kept;
  private long bytes;
  private long roots;
  private volatile boolean overflown; // others look at it

  /**
   * @param nanoTime a clock
   */
  Gates(Memo memo, Touched touched, Completions completions, LongSupplier nanoTime) {
    this.memo = memo;
    this.touched = touched;
    this.completions = completions;
    this.nanoTime = nanoTime;
  }

  /** The commands of a queue while events are pending. */
  private static final class Lane {
    private Set<SessionObject> last = Set.of(); // what the next command waits for, in any case
    private Set<SessionObject> all = Set.of(); // what any of its commands waits for
    private final Deque<Long> fences = new ArrayDeque<>(); // commands that wait for none of it
    private long endedNs; // when one of these was found to have ended

    Lane(long nowNs) {
      endedNs = nowNs;
    }

    /** None of its commands waits any more. */
    void nothingWaits() {
      last = Set.of();
      all = Set.of();
    }
  }

  /** A call begins. */
  void begin(CallReader in) {
    current = in;
    kept = null;
  }

  /** An event that the application will set. */
  void add(SessionObject userEvent) {
    pending.add(userEvent);
  }

  /** Whether the application has not set an event yet. */
  boolean isPending(SessionObject userEvent) {
    return pending.contains(userEvent);
  }

  /** All that the application has not set. */
  List<SessionObject> pendingEvents() {
    return List.copyOf(pending);
  }

  /** The application has set an event, or cannot any more. */
  void set(SessionObject userEvent) {
    pending.remove(userEvent);
    List<Blocked> free = waiting.remove(userEvent);
    if (free != null) {
      roots -= free.size();
      for (Blocked each : free) {
        if (each.rootIsSet()) {
          bytes -= each.bytes();
          touched.again(each.writes());
          remove(each);
        }
      }
    }
    if (pending.isEmpty()) {
      lanes.values().forEach(Lane::nothingWaits);
      overflown = false;
    }
  }

  /** Whether no events are there that calls may wait for. */
  boolean isEmpty() {
    return pending.isEmpty();
  }

  /**
   * Whether there are more calls than are kept: the session cannot move then. A look from any
   * thread.
   */
  boolean hasOverflown() {
    return overflown;
  }

  /** Calls that wait, in the order in which they came. */
  List<OpenCall> openCalls() {
    return blocked.stream().map(Blocked::open).toList();
  }

  /** Whether a call waits still. */
  boolean isOpen(@Nullable Blocked call) {
    return call != null && blocked.contains(call);
  }

  /** Maps that calls which wait will end, the one that is ended last first. */
  List<StorageMap> endedMaps() {
    List<StorageMap> maps = new ArrayList<>();
    for (Blocked call : blocked) {
      StorageMap map = call.ended();
      if (map != null && !isOpen(call.endedBy())) {
        maps.add(map); // else it is made after the move, as it is ended
      }
    }
    return maps.reversed();
  }

  /**
   * What a command waits for; begins a fence when it is the first of its queue that does.
   *
   * @param waitsForAll before it in its queue
   * @param holdsAll behind it in its queue
   */
  Set<SessionObject> rootsOf(
      SessionObject queue, List<SessionObject> events, boolean waitsForAll, boolean holdsAll) {
    if (pending.isEmpty()) {
      return Set.of();
    }
    Lane lane = laneOf(queue);
    Set<SessionObject> found = union(stillPending(lane.last), rootsOf(events));
    if (waitsForAll) {
      found = union(found, stillPending(lane.all));
    }
    boolean isInOrder = !queue.attachment(QueueOrder.class).isOutOfOrder();
    if (!found.isEmpty()) {
      if (stillPending(lane.all).isEmpty()) {
        fence(queue, lane);
      }
      lane.all = union(stillPending(lane.all), found);
      if (isInOrder || holdsAll) {
        lane.last = found;
      }
    }
    return found;
  }

  /** Whether a command would wait for the application; changes nothing. */
  boolean wouldWait(SessionObject queue, List<SessionObject> events) {
    if (pending.isEmpty()) {
      return false;
    }
    Lane lane = lanes.get(queue);
    return !rootsOf(events).isEmpty() || lane != null && !stillPending(lane.last).isEmpty();
  }

  /** Queues that have commands which wait for an event. */
  List<SessionObject> queuesBehind(SessionObject userEvent) {
    return lanes.entrySet().stream()
        .filter(lane -> lane.getValue().all.contains(userEvent))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * A command that nothing but one event of the application holds back.
   *
   * @param event the library's, of the command itself
   */
  record Free(SessionObject queue, long event) {}

  /** Some of the commands that an event sets free, when it is set. */
  List<Free> freeBy(SessionObject userEvent, int most) {
    return waiting.getOrDefault(userEvent, List.of()).stream()
        .filter(call -> call.isHeldByOne() && call.event() != 0)
        .flatMap(call ->
            call.named().stream()
                .filter(object -> object.kind() == OpenClKinds.QUEUE)
                .map(queue -> new Free(queue, call.event())))
        .limit(most)
        .toList();
  }

  /** What waiting for all of a queue waits for. */
  Set<SessionObject> rootsOfAll(SessionObject queue) {
    Lane lane = lanes.get(queue);
    return lane == null ? Set.of() : stillPending(lane.all);
  }

  /** What events wait for. */
  Set<SessionObject> rootsOf(List<SessionObject> events) {
    Set<SessionObject> found = Set.of();
    if (pending.isEmpty()) {
      return found;
    }
    for (SessionObject event : events) {
      if (pending.contains(event)) {
        found = union(found, Set.of(event));
      } else if (event.has(Blocked.class)) {
        found = union(found, stillPending(event.attachment(Blocked.class).roots()));
      }
    }
    return found;
  }

  private Set<SessionObject> stillPending(Set<SessionObject> events) {
    return pending.containsAll(events)
        ? events
        : events.stream().filter(pending::contains).collect(java.util.stream.Collectors.toSet());
  }

  private static Set<SessionObject> union(Set<SessionObject> one, Set<SessionObject> other) {
    if (one.containsAll(other)) {
      return one;
    }
    if (other.containsAll(one)) {
      return other;
    }
    Set<SessionObject> both = new HashSet<>(one);
    both.addAll(other);
    return both;
  }

  /**
   * All that the queue has now waits for nothing: an event that says when it has run. It is begun
   * at once, since some tell of nothing that was begun together with what waits.
   */
  private void fence(SessionObject queue, Lane lane) {
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clEnqueueMarkerWithWaitList(queue.handle(), 0, MemorySegment.NULL, out);
    if (status == ClStatus.SUCCESS) {
      lane.fences.add(out.get(ValueLayout.JAVA_LONG, 0));
      int _ = OpenClLibrary.clFlush(queue.handle());
    }
  }

  /** A command that waits for nothing, in a queue that has others that wait. */
  void passed(SessionObject queue, long event) {
    Lane lane = lanes.get(queue);
    if (lane == null || stillPending(lane.all).isEmpty()) {
      return;
    }
    if (lane.fences.size() >= MOST_FENCES) {
      overflown = true;
      return;
    }
    int _ = OpenClLibrary.clRetainEvent(event);
    lane.fences.add(event);
  }

  /** Whether a queue has commands that wait; a marker would wait with them. */
  boolean isHeldBack(SessionObject queue) {
    return !rootsOfAll(queue).isEmpty();
  }

  /** Events that say when those commands of a queue have run that wait for nothing. */
  List<Long> fences(SessionObject queue) {
    Lane lane = lanes.get(queue);
    return lane == null ? List.of() : List.copyOf(lane.fences);
  }

  /** Releases the events of commands that have come to their end; the memo is empty then. */
  void settle() {
    if (!lanes.isEmpty()) {
      lanes.values().forEach(this::settle);
      lanes.values().removeIf(lane -> pending.isEmpty() && lane.fences.isEmpty());
    }
  }

  /**
   * One that has failed stays until those before it have ended, and for a while: PoCL 3.1 has it
   * fail while what it waits for runs still, and uses it after that is said to have ended, as soon
   * as its thread has a processor.
   */
  private void settle(Lane lane) {
    long now = nanoTime.getAsLong();
    while (!lane.fences.isEmpty()) {
      memo.clear();
      int status = completions.look(lane.fences.getFirst());
      if (status > ClStatus.COMPLETE
          || status < ClStatus.COMPLETE && now - lane.endedNs < FAILED_NS) {
        return;
      }
      if (status == ClStatus.COMPLETE) {
        lane.endedNs = now;
      }
      int _ = OpenClLibrary.clReleaseEvent(lane.fences.removeFirst());
    }
  }

  private static void releaseFences(Lane lane) {
    lane.fences.forEach(event -> {
      int _ = OpenClLibrary.clReleaseEvent(event);
    });
    lane.fences.clear();
  }

  /**
   * Keeps the current call, if it waits for any events.
   *
   * @param before changes as they are now that matter to it
   * @return what is kept; null when it waits for none
   */
  @Nullable Blocked keep(
      Set<SessionObject> events, Answer answer, Supplier<List<OpenCall.Change>> before) {
    CallReader in = current;
    if (events.isEmpty() || in == null) {
      return null;
    }
    CallRecord record = in.record();
    List<OpenCall.Change> changes = before.get();
    List<SessionObject> held = new ArrayList<>(record.named());
    changes.forEach(change -> held.addAll(change.call().named()));
    held.removeIf(object -> object.isLost() || !Retained.canBe(object));
    Blocked call =
        new Blocked(
            record, answer.slotPlusOne(), events, changes, touched.current(), List.copyOf(held));
    if (blocked.size() >= MOST_CALLS
        || bytes + call.bytes() > MOST_BYTES
        || roots + events.size() > MOST_ROOTS) {
      overflown = true;
    }
    if (overflown) {
      call.notKept();
      return call;
    }
    call.hold();
    kernels(call).forEach(kernel -> Programs.hold(Kernels.programOf(kernel)));
    blocked.add(call);
    bytes += call.bytes();
    roots += events.size();
    events.forEach(event -> waiting.computeIfAbsent(event, _ -> new ArrayList<>()).add(call));
    kept = call;
    return call;
  }

  /** What is kept of the current call; null for nothing. */
  @Nullable Blocked kept() {
    return kept;
  }

  /** The library's event of a command that may have been kept. */
  void queued(@Nullable Blocked call, long event) {
    if (call != null && blocked.contains(call)) {
      call.retain(event);
    }
  }

  /**
   * A call that was kept has come to its end, or waits for nothing any more. What it takes is
   * counted until all of its events are set.
   */
  void remove(Blocked call) {
    blocked.remove(call);
    if (!call.isBlocked() || call.event() == 0) {
      release(call); // else a command that failed before others, for which it waits, too, are set
    }
  }

  /** What a call held; its command is one of those in its queue that wait for nothing any more. */
  private void release(Blocked call) {
    if (!call.isHolding()) {
      return;
    }
    if (call.event() != 0) {
      Deque<Long> fences = laneOf(call.queue()).fences;
      for (long event : fences.size() < MOST_KEPT ? call.awaited() : List.<Long>of()) {
        int _ = OpenClLibrary.clRetainEvent(event);
        fences.add(event);
      }
      fences.add(call.event());
    }
    call.release();
    kernels(call).forEach(kernel -> Programs.releaseAncestor(Kernels.programOf(kernel)));
  }

  private Lane laneOf(SessionObject queue) {
    return lanes.computeIfAbsent(queue, _ -> new Lane(nanoTime.getAsLong()));
  }

  /** A kernel itself can be made again as long as its program is there. */
  private static List<SessionObject> kernels(Blocked call) {
    return call.named().stream().filter(object -> object.kind() == OpenClKinds.KERNEL).toList();
  }

  /** A queue is gone. */
  void forgetQueue(SessionObject queue) {
    Lane lane = lanes.remove(queue);
    if (lane != null) {
      releaseFences(lane);
    }
  }

  /** Lets go of all. */
  void close() {
    waiting.values().forEach(calls -> calls.forEach(this::release));
    lanes.values().forEach(Gates::releaseFences);
    lanes.clear();
    blocked.clear();
    waiting.clear();
    pending.clear();
  }
}
