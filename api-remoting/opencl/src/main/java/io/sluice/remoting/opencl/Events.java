package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.Notices;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Events, and what is known of queues: which have commands that were not flushed, and the first
 * failure of a command that nobody waited for.
 *
 * <p>A command that could not be queued has an event all the same, since its number was given: one
 * without a handle, which has failed.
 */
final class Events {
  private final SessionContext context;
  private final Memo memo;
  private final Completions completions;
  private final Map<SessionObject, Integer> failed = new IdentityHashMap<>();
  private final Set<SessionObject> userEvents =
      java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<SessionObject> unflushed = new LinkedHashSet<>();
  private final Map<SessionObject, Integer> firstFailures = new HashMap<>();

  Events(SessionContext context, Memo memo, Completions completions) {
    this.context = context;
    this.memo = memo;
    this.completions = completions;
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

  /** A queue is gone. */
  void forgetQueue(SessionObject queue) {
    unflushed.remove(queue);
    firstFailures.remove(queue);
  }

  /**
   * An event is about to be released. A user event whose state nobody can set any more has failed.
   */
  void forget(SessionObject event) {
    failed.remove(event);
    if (userEvents.remove(event)) {
      int _ = OpenClLibrary.clSetUserEventStatus(event.handle(), ClStatus.ABANDONED);
    }
  }

  /** The number of an event that is about to be made must be free. */
  void requireFree(int index) {
    int _ = context.objects().requireFree(OpenClKinds.EVENT, index);
  }

  /** The event of a command. */
  void add(int index, long handle) {
    SessionObject _ = context.objects().add(OpenClKinds.EVENT, index, handle, CallRecord.NONE);
  }

  /** The event of a command that failed before it was one. */
  void addFailed(int index, int status) {
    SessionObject event = context.objects().add(OpenClKinds.EVENT, index, 0, CallRecord.NONE);
    failed.put(event, status);
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

  /** Whether a list has an event that failed without a handle. */
  boolean anyFailed(List<SessionObject> events) {
    for (SessionObject event : events) {
      if (event.handle() == 0) {
        return true;
      }
    }
    return false;
  }

  void createUser(OpenClCall.CreateUserEvent c, CallRecord record, Answer answer) {
    MemorySegment error = memo.bytes(Integer.BYTES);
    long handle = OpenClLibrary.clCreateUserEvent(c.context().handle(), error);
    if (handle != 0) {
      userEvents.add(context.objects().add(OpenClKinds.EVENT, c.event(), handle, record));
    }
    answer.give(Objects.error(error));
  }

  void setUserStatus(OpenClCall.SetUserEventStatus c, Answer answer) {
    if (!userEvents.remove(c.event())) {
      answer.give(ClStatus.INVALID_OPERATION);
      return;
    }
    answer.give(OpenClLibrary.clSetUserEventStatus(c.event().handle(), c.status()));
  }

  /** Fails what nobody will set any more. */
  void failUserEvents() {
    for (SessionObject event : userEvents) {
      int _ = OpenClLibrary.clSetUserEventStatus(event.handle(), ClStatus.ABANDONED);
    }
    userEvents.clear();
  }

  void waitFor(OpenClCall.WaitForEvents c, Answer answer) {
    flushAll();
    Countdown countdown = new Countdown(c.events().size(), answer);
    for (SessionObject event : c.events()) {
      if (event.handle() == 0) {
        countdown.one(statusOf(event));
      } else {
        completions.add(event.handle(), ClStatus.COMPLETE, countdown::one);
      }
    }
    if (c.events().isEmpty()) {
      answer.give(ClStatus.INVALID_VALUE);
    }
  }

  /** The answer to a wait, given with the last of its events. */
  private static final class Countdown {
    private final Answer answer;
    private int left;
    private int result = ClStatus.SUCCESS;

    Countdown(int left, Answer answer) {
      this.left = left;
      this.answer = answer;
    }

    void one(int status) {
      if (status < 0) {
        result = ClStatus.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      }
      if (--left == 0) {
        answer.give(result);
      }
    }
  }

  private int statusOf(SessionObject event) {
    return event.handle() == 0
        ? failed.getOrDefault(event, ClStatus.OUT_OF_RESOURCES)
        : completions.status(event.handle());
  }

  void status(OpenClCall.EventStatus c, Answer answer) {
    answer.give(ClStatus.SUCCESS, statusOf(c.event()));
  }

  void profile(OpenClCall.EventProfile c, Answer answer) {
    if (c.event().handle() == 0) {
      answer.give(ClStatus.PROFILING_INFO_NOT_AVAILABLE);
      return;
    }
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clGetEventProfilingInfo(
            c.event().handle(), c.param(), Long.BYTES, out, MemorySegment.NULL);
    answer.give(status, out.get(ValueLayout.JAVA_LONG, 0));
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
      completions.add(
          c.event().handle(),
          c.status(),
          status -> context.notices().tell(Notices.EVENT, status, index));
    }
    answer.give(ClStatus.SUCCESS);
  }
}
