package io.sluice.remoting.opencl;

import io.sluice.remoting.opencl.names.StatusNames;
import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiState;
import io.sluice.remoting.session.ApiState.SettledEvent;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.Contents;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.OpenCall;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An OpenCL session as a move sees it. */
final class OpenClState implements ApiState {
  private static final Logger LOG = LoggerFactory.getLogger(OpenClState.class);

  /** Why a session cannot move now. */
  static final String OVERFLOWN = "more commands wait for the application's events than are kept";

  private final SessionContext context;
  private final HostDevices devices;
  private final Completions completions;
  private final Gates gates;
  private final Events events;
  private final Touched touched;
  private final LeavingQueues leaving;
  private final DirectCopies direct;
  private final Remaking remaking;

  /** The parts of a session that know what a move must. */
  record SessionParts(
      Completions completions,
      Gates gates,
      Events events,
      Touched touched,
      LeavingQueues leaving,
      DirectCopies direct) {}

  OpenClState(SessionContext context, HostDevices devices, SessionParts parts, Remaking remaking) {
    this.context = context;
    this.devices = devices;
    this.remaking = remaking;
    completions = parts.completions();
    gates = parts.gates();
    events = parts.events();
    touched = parts.touched();
    leaving = parts.leaving();
    direct = parts.direct();
  }

  @Override
  public String implementation() {
    return devices.implementation();
  }

  @Override
  public List<String> obstacles() {
    return gates.hasOverflown() ? List.of(OVERFLOWN) : List.of();
  }

  @Override
  public ObjectKind events() {
    return OpenClKinds.EVENT;
  }

  @Override
  public String nameOf(SessionObject root) {
    return root.kind() == OpenClKinds.DEVICE ? devices.nameOf(root.handle()) : "platform";
  }

  @Override
  public byte[] payloadOf(SessionObject object) throws UnmovableException {
    return Payloads.of(object);
  }

  @Override
  public List<CallRecord> changesOf(SessionObject object) {
    return object.kind() == OpenClKinds.KERNEL
        ? object.changes().stream().filter(Kernels::isThere).toList()
        : object.changes();
  }

  @Override
  public List<SessionObject> madeWith(SessionObject object) {
    if (object.kind() == OpenClKinds.DEVICE) {
      List<SessionObject> siblings = object.attachment(Objects.DeviceOrigin.class).siblings();
      return siblings.isEmpty() ? List.of(object) : siblings;
    }
    return List.of(object);
  }

  @Override
  public boolean whenAllHaveRun(Runnable done) {
    List<Long> marks = new ArrayList<>();
    context.objects().all(OpenClKinds.QUEUE).forEach(queue -> marks.addAll(marks(queue)));
    leaving.queues().forEach(queue -> marks.addAll(marks(queue)));
    if (marks.isEmpty()) {
      done.run();
      return true;
    }
    int[] left = {marks.size()};
    for (long mark : marks) {
      completions.add(
          mark,
          ClStatus.COMPLETE,
          null,
          _ -> {
            if (--left[0] == 0) {
              done.run();
            }
          });
      int _ = OpenClLibrary.clReleaseEvent(mark);
    }
    return true;
  }

  /**
   * Events that are complete when a queue's commands have run; each is the caller's. A marker alone
   * is not behind what was before a command that has failed: PoCL 3.1.
   */
  private List<Long> marks(SessionObject queue) {
    List<Long> marks = new ArrayList<>(gates.fences(queue));
    for (long fence : marks) {
      int _ = OpenClLibrary.clRetainEvent(fence);
    }
    if (!gates.isHeldBack(queue)) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
        int status =
            OpenClLibrary.clEnqueueMarkerWithWaitList(queue.handle(), 0, MemorySegment.NULL, out);
        if (status == ClStatus.SUCCESS) {
          marks.add(out.get(ValueLayout.JAVA_LONG, 0));
        }
      }
    }
    int _ = OpenClLibrary.clFlush(queue.handle());
    return marks;
  }

  @Override
  public void finish() {
    direct.settle();
    events.flushAll();
    boolean _ = whenAllHaveRun(() -> {});
  }

  @Override
  public boolean isFinished() {
    return completions.isEmptyButForBlocked();
  }

  @Override
  public List<OpenCall> openCalls() {
    return gates.openCalls();
  }

  @Override
  public @Nullable SettledEvent settled(SessionObject event) {
    return events.settled(event);
  }

  @Override
  public Map<SessionObject, Integer> failures() {
    return events.failures();
  }

  @Override
  public Set<SessionObject> takeTouched() {
    return touched.take();
  }

  @Override
  public Set<SessionObject> withContents(Set<SessionObject> needed) {
    Set<SessionObject> with = Collections.newSetFromMap(new IdentityHashMap<>());
    for (SessionObject object : needed) {
      boolean isRoot = object.kind() == OpenClKinds.MEM && Touched.root(object) == object;
      if (isRoot && !object.has(Memory.MappedBuffer.class)) {
        with.add(object);
      }
    }
    return with;
  }

  @Override
  public Contents contents() {
    direct.settle();
    return new ClContents();
  }

  private List<SessionObject> mappedBuffers() {
    return context.objects().all(OpenClKinds.MEM).stream()
        .filter(mem -> mem.has(Memory.MappedBuffer.class))
        .toList();
  }

  /**
   * Where nothing is mapped the library may have what the application's memory has not yet. A map
   * that waits for the application is not there, and one whose end waits is.
   */
  @Override
  public List<StorageMap> maps() {
    List<StorageMap> maps = new ArrayList<>();
    List<StorageMap> ended = gates.endedMaps();
    Set<SessionObject> mapped = Collections.newSetFromMap(new IdentityHashMap<>());
    ended.forEach(map -> mapped.add(map.object()));
    try (ClContents contents = new ClContents()) {
      for (SessionObject mem : mappedBuffers()) {
        Memory.MappedBuffer buffer = mem.attachment(Memory.MappedBuffer.class);
        int before = maps.size();
        buffer.maps().forEach((offset, at) -> addAll(mem, offset, at, maps));
        if (maps.size() == before && !mapped.contains(mem)) {
          contents.bring(mem, buffer.storage(), false);
        }
      }
      contents.await();
    } catch (UnmovableException refused) {
      throw new IllegalStateException(refused.getMessage());
    }
    maps.addAll(ended); // on top of others of the same offset
    return maps;
  }

  private void addAll(
      SessionObject mem, long offset, Deque<Memory.BufferMap> at, List<StorageMap> maps) {
    for (Iterator<Memory.BufferMap> each = at.descendingIterator(); each.hasNext(); ) {
      Memory.BufferMap map = each.next();
      if (!gates.isOpen(map.by())) {
        maps.add(new StorageMap(mem, offset, map.bytes(), map.flags()));
      }
    }
  }

  @Override
  public void addMap(StorageMap map) {
    if (map.object().has(Memory.MappedBuffer.class)) {
      Memory.MappedBuffer buffer = map.object().attachment(Memory.MappedBuffer.class);
      MemorySegment _ = buffer.storage().asSlice(map.offset(), map.bytes()); // is within it
      Memory.mapped(buffer, map.offset(), new Memory.BufferMap(0, map.bytes(), map.flags(), null));
    }
  }

  @Override
  public void readStorage() {
    try (ClContents contents = new ClContents()) {
      for (SessionObject mem : mappedBuffers()) {
        contents.bring(mem, mem.attachment(Memory.MappedBuffer.class).storage(), true);
      }
      contents.await();
    } catch (UnmovableException refused) {
      LOG.atWarn().log("a buffer is not as it was: {}", refused.getMessage());
    }
  }

  @Override
  public String remake(int number, CallReader in, byte[] payload, String implementation) {
    Remaking.CallStatus outcome = new Remaking.CallStatus();
    boolean isSame = implementation.equals(implementation());
    OpenClCall call = OpenClCall.decode(number, in);
    in.end();
    String reason = remaking.make(call, in.record(), payload, isSame, outcome);
    context.finishWorks();
    if (!reason.isEmpty() || outcome.status() == ClStatus.SUCCESS) {
      return reason;
    }
    return "cannot be made here, " + StatusNames.of(outcome.status()) + ": " + Remaking.made(call);
  }

  @Override
  public String statusName(int status) {
    return StatusNames.of(status);
  }

  @Override
  public void change(int number, CallReader in, Answer answer) {
    remaking.change(number, in, answer);
    context.finishWorks();
  }

  @Override
  public SessionObject addSettled(int index, SettledEvent event) {
    return events.addSettled(index, event);
  }

  @Override
  public void addFailure(SessionObject object, int status) {
    if (object.kind() == OpenClKinds.QUEUE) {
      events.failedUnseen(object, status);
    }
  }

  @Override
  public void forget(SessionObject object) {
    int _ = giveBack(object);
  }

  /** Gives an object, which is in the table no more, back to the library: now, or a queue soon. */
  int giveBack(SessionObject object) {
    if (object.kind() == OpenClKinds.QUEUE) {
      events.flushAll(); // what its commands wait for runs, too
      events.forgetQueue(object);
      leaving.add(object);
      return ClStatus.SUCCESS;
    }
    if (object.kind() == OpenClKinds.EVENT) {
      direct.forgetEvent(object);
      events.forget(object);
    } else if (object.kind() == OpenClKinds.PROGRAM) {
      Programs.forget(object);
    } else if (object.kind() == OpenClKinds.KERNEL) {
      Kernels.forget(object);
    }
    object.lose();
    int status = Objects.releaseNative(object);
    context.forget(object);
    return status;
  }
}
