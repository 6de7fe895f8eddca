package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiState.SettledEvent;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.Notices;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Events, and what is known of queues: which have commands that were not flushed, and the first
 * failure of a command that nobody waited for.
 *
 * <p>A command that could not be queued has an event all the same, since its number was given: one
 * without a handle, which has failed. So have commands that ran before the session came here.
 */
final class Events {
  /** The first of what a profile is asked for, CL_PROFILING_COMMAND_QUEUED, and how many. */
  private static final int PROFILE_QUEUED = 0x1280;

  private static final int PROFILE_TIMES = 5;

  private final SessionContext context;
  private final Memo memo;
  private final Completions completions;
  private final Gates gates;
  private final Set<SessionObject> unflushed = new LinkedHashSet<>();
  private final Map<SessionObject, Integer> firstFailures = new HashMap<>();

  Events(SessionContext context, Memo memo, Completions completions, Gates gates) {
    this.context = context;
    this.memo = memo;
    this.completions = completions;
    this.gates = gates;
  }

  /** A command was queued. */
  void queued(SessionObject queue) {
    unflushed.add(queue);
  }

  /** Has all queues begin with what they have. */
  void flushAll() {
    for (SessionObject queue : unflushed) {
      int _ = OpenClLibrary.clFlush(queue.handle());
    }
    unflushed.clear();
  }

  /** A queue is released: nobody asks for its failures any more. */
  void forgetQueue(SessionObject queue) {
    unflushed.remove(queue);
    firstFailures.remove(queue);
  }

  /**
   * An event is about to be released. A user event whose state nobody can set any more has failed.
   */
  void forget(SessionObject event) {
    if (gates.isPending(event)) {
      int _ = OpenClLibrary.clSetUserEventStatus(event.handle(), ClStatus.ABANDONED);
      gates.set(event);
    }
  }

  /** The number of an event that is about to be made must be free. */
  void requireFree(int index) {
    int _ = context.objects().requireFree(OpenClKinds.EVENT, index);
  }

  /**
   * The event of a command.
   *
   * @param blocked the command, if it waits for the application
   */
  SessionObject add(int index, long handle, @Nullable Blocked blocked) {
    SessionObject event = context.objects().add(OpenClKinds.EVENT, index, handle, CallRecord.NONE);
    if (blocked != null) {
      blocked.made(event.attach(blocked));
    }
    return event;
  }

  /** The event of a command that failed before it was one. */
  void addFailed(int index, int status) {
    SessionObject _ = addSettled(index, new SettledEvent(status, List.of()));
  }

  /** An event to which nothing can happen any more, and that the library does not know. */
  SessionObject addSettled(int index, SettledEvent settled) {
    return context.objects().add(OpenClKinds.EVENT, index, 0, CallRecord.NONE).attach(settled);
  }

  /** A command without an event, for which nobody waits, failed. */
  void failedUnseen(SessionObject queue, int status) {
    firstFailures.putIfAbsent(queue, status);
  }

  /** The first such failure of a queue since it was last asked for. */
  int takeFailure(SessionObject queue) {
    Integer status = firstFailures.remove(queue);
    return status == null ? ClStatus.SUCCESS : status;
  }

  /** All such failures. */
  Map<SessionObject, Integer> failures() {
    return Map.copyOf(firstFailures);
  }

  /** Whether a list has an event that failed without a handle. */
  boolean anyFailed(List<SessionObject> events) {
    for (SessionObject event : events) {
      if (event.handle() == 0 && statusOf(event) < 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * What is told of a command that failed: if one of those it waited for has failed, that.
   *
   * @param status its own
   * @param waits those it waited for; some may be released by now
   */
  int failureOf(int status, List<SessionObject> waits) {
    for (SessionObject event : waits) {
      if (context.objects().has(event) && statusOf(event) < 0) {
        return ClStatus.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      }
    }
    return status;
  }

  /** Those of a list that the library knows. */
  List<SessionObject> open(List<SessionObject> events) {
    for (SessionObject event : events) {
      if (event.handle() == 0) {
        return events.stream().filter(each -> each.handle() != 0).toList();
      }
    }
    return events;
  }

  void createUser(OpenClCall.CreateUserEvent c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCreateUserEvent(c.context().handle(), error);
    if (handle != 0) {
      gates.add(context.objects().add(OpenClKinds.EVENT, c.event(), handle, record));
    }
    answer.give(Objects.error(error));
  }

  void setUserStatus(OpenClCall.SetUserEventStatus c, Answer answer) {
    if (!gates.isPending(c.event())) {
      answer.give(ClStatus.INVALID_OPERATION);
      return;
    }
    int status = OpenClLibrary.clSetUserEventStatus(c.event().handle(), c.status());
    gates.set(c.event());
    answer.give(status);
  }

  /** Fails what nobody will set any more; what waits for it stays retained. */
  void failUserEvents() {
    for (SessionObject event : gates.pendingEvents()) {
      int _ = OpenClLibrary.clSetUserEventStatus(event.handle(), ClStatus.ABANDONED);
    }
  }

  void waitFor(OpenClCall.WaitForEvents c, Answer answer) {
    flushAll();
    Blocked blocked = gates.keep(gates.rootsOf(c.events()), answer, List::of);
    Countdown countdown =
        new Countdown(
            c.events().size(),
            result -> {
              forget(blocked);
              answer.give(result);
            });
    for (SessionObject event : c.events()) {
      if (event.handle() == 0) {
        countdown.one(statusOf(event));
      } else {
        completions.addAwaited(event.handle(), blocked, false, countdown::one);
      }
    }
    if (c.events().isEmpty()) {
      answer.give(ClStatus.INVALID_VALUE);
    }
  }

  private void forget(@Nullable Blocked blocked) {
    if (blocked != null) {
      gates.remove(blocked);
    }
  }

  /** The answer to a wait, given with the last of its events. */
  private static final class Countdown {
    private final IntConsumer then;
    private int left;
    private int result = ClStatus.SUCCESS;

    Countdown(int left, IntConsumer then) {
      this.left = left;
      this.then = then;
    }

    void one(int status) {
      if (status < 0) {
        result = ClStatus.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      }
      if (--left == 0) {
        then.accept(result);
      }
    }
  }

  private int statusOf(SessionObject event) {
    return event.handle() == 0
        ? event.attachment(SettledEvent.class).status()
        : completions.look(event.handle());
  }

  void status(OpenClCall.EventStatus c, Answer answer) {
    answer.give(ClStatus.SUCCESS, statusOf(c.event()));
  }

  void profile(OpenClCall.EventProfile c, Answer answer) {
    if (c.event().handle() == 0) {
      List<Long> times = c.event().attachment(SettledEvent.class).times();
      int which = c.param() - PROFILE_QUEUED;
      if (which < 0 || which >= times.size()) {
        answer.give(ClStatus.PROFILING_INFO_NOT_AVAILABLE);
      } else {
        answer.give(ClStatus.SUCCESS, times.get(which));
      }
      return;
    }
    MemorySegment out = memo.bytes(Long.BYTES);
    int status = profile(c.event().handle(), c.param(), out);
    answer.give(status, out.get(ValueLayout.JAVA_LONG, 0));
  }

  private static int profile(long event, int param, MemorySegment out) {
    return OpenClLibrary.clGetEventProfilingInfo(event, param, Long.BYTES, out, MemorySegment.NULL);
  }

  /** The state of an event to which nothing can happen any more; null for one that is pending. */
  @Nullable SettledEvent settled(SessionObject event) {
    if (event.handle() == 0) {
      return event.attachment(SettledEvent.class);
    }
    if (gates.isPending(event)) {
      return null;
    }
    memo.clear();
    int status = completions.look(event.handle());
    List<Long> times = new ArrayList<>();
    MemorySegment out = memo.bytes(Long.BYTES);
    while (times.size() < PROFILE_TIMES
        && profile(event.handle(), PROFILE_QUEUED + times.size(), out) == ClStatus.SUCCESS) {
      times.add(out.get(ValueLayout.JAVA_LONG, 0));
    }
    return new SettledEvent(status, times);
  }

  void watch(OpenClCall.WatchEvent c, Answer answer) {
    int index = c.event().index();
    if (c.status() < ClStatus.COMPLETE || c.status() > ClStatus.QUEUED) {
      answer.give(ClStatus.INVALID_VALUE);
      return;
    }
    if (c.event().handle() == 0) {
      context.notices().tell(Notices.EVENT, statusOf(c.event()), index);
    } else {
      Blocked blocked = gates.keep(gates.rootsOf(List.of(c.event())), Answer.NONE, List::of);
      completions.add(
          c.event().handle(),
          c.status(),
          blocked,
          status -> {
            forget(blocked);
            context.notices().tell(Notices.EVENT, status, index);
          });
    }
    answer.give(ClStatus.SUCCESS);
  }
}
