package io.sluice.remoting.opencl;

import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.SessionContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of the library that somebody waits for, and what then happens. They are looked at
 * while the session's thread is awake; before it sleeps, the library is asked to wake it. Each is
 * retained here.
 */
final class Completions {
  private final Memo memo;
  private final EventCallback callback;
  private final long awaitedLookNs;
  private List<Pending> pending = new ArrayList<>();
  private Runnable beforeEnds = () -> {};

  /**
   * @param awaitedLookNs how long to look all the time for what an application waits for
   */
  Completions(Memo memo, SessionContext context, long awaitedLookNs) {
    this.memo = memo;
    this.awaitedLookNs = awaitedLookNs;
    callback = new EventCallback(context::wake);
  }

  private static final class Pending {
    private final long event;
    private final int threshold;
    private final IntConsumer then;
    private final @Nullable Blocked blocked;
    private final long lookNs;
    private boolean armed;

    Pending(long event, int threshold, IntConsumer then, @Nullable Blocked blocked, long lookNs) {
      this.event = event;
      this.threshold = threshold;
      this.then = then;
      this.blocked = blocked;
      this.lookNs = lookNs;
    }

    private boolean waitsForApplication() {
      return blocked != null && blocked.isBlocked();
    }
  }

  /**
   * Waits for an event.
   *
   * @param threshold CL_COMPLETE, or a state before it
   * @param then what happens with the event's status, which is at or below the threshold; within
   *     the next {@link #poll}
   * @param blocked the call that waits for it, if that waits for the application
   */
  void add(long event, int threshold, @Nullable Blocked blocked, IntConsumer then) {
    add(event, threshold, blocked, ApiSession.LOOK_NS, then);
  }

  /**
   * Waits for the end of a command for which the application waits.
   *
   * @param takesLong whether it is better to sleep at once: who looks for it keeps a processor from
   *     those who do the work
   */
  void addAwaited(long event, @Nullable Blocked blocked, boolean takesLong, IntConsumer then) {
    add(event, ClStatus.COMPLETE, blocked, takesLong ? 0 : awaitedLookNs, then);
  }

  private void add(
      long event, int threshold, @Nullable Blocked blocked, long lookNs, IntConsumer then) {
    int _ = OpenClLibrary.clRetainEvent(event);
    pending.add(new Pending(event, threshold, then, blocked, lookNs));
  }

  /** How long to look all the time: not if the oldest takes long, else as long as for any. */
  long lookNs() {
    if (!pending.isEmpty() && pending.getFirst().lookNs == 0) {
      return 0;
    }
    long longest = ApiSession.LOOK_NS;
    for (Pending each : pending) {
      longest = each.waitsForApplication() ? longest : Math.max(longest, each.lookNs);
    }
    return longest;
  }

  /** Names what is done when a command is found to have ended, before anybody is told. */
  void beforeEnds(Runnable action) {
    beforeEnds = action;
  }

  /** Whether nothing is waited for but what waits for the application. */
  boolean isEmptyButForBlocked() {
    for (Pending each : pending) {
      if (!each.waitsForApplication()) {
        return false;
      }
    }
    return true;
  }

  /** Looks at the status of an event: a state, or an error below 0. */
  int look(long event) {
    MemorySegment out = memo.bytes(Integer.BYTES);
    int status =
        OpenClLibrary.clGetEventInfo(
            event, ClParam.EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, out, MemorySegment.NULL);
    int state = status == ClStatus.SUCCESS ? out.get(ValueLayout.JAVA_INT, 0) : status;
    if (state <= ClStatus.COMPLETE) {
      beforeEnds.run();
    }
    return state;
  }

  /**
   * Has happen what is due.
   *
   * @return how many
   */
  int poll() {
    if (pending.isEmpty()) {
      return 0;
    }
    List<Pending> before = pending;
    pending = new ArrayList<>(before.size());
    int done = 0;
    for (Pending each : before) {
      memo.clear();
      int status = look(each.event);
      if (status > each.threshold) {
        pending.add(each);
      } else {
        done++;
        each.then.accept(status);
        int _ = OpenClLibrary.clReleaseEvent(each.event);
      }
    }
    return done;
  }

  /** Has the library wake the session's thread; false if something is due already. */
  boolean arm() {
    boolean due = false;
    for (Pending each : pending) {
      memo.clear();
      if (!each.armed) {
        each.armed = true;
        due |= !callback.ask(each.event, each.threshold);
      }
      due |= look(each.event) <= each.threshold;
    }
    return !due;
  }

  /** Whether there are any. */
  boolean areAwaited() {
    return !pending.isEmpty();
  }

  /** Forgets all; nothing happens any more. */
  void close() {
    pending.forEach(each -> {
      int _ = OpenClLibrary.clReleaseEvent(each.event);
    });
    pending.clear();
    callback.close();
  }
}
