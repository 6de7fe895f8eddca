package io.sluice.remoting.opencl;

import io.sluice.remoting.opencl.DeviceUse.UseWindow;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The work of a session on devices. A command is given to the library only in the guest's turn at
 * its device, and while not too much is queued there; whoever gives commands asks {@link #claim}
 * first. Commands of a queue are counted in windows, each with an event by which its end is seen.
 * What waits for the application's events is no work until they are set.
 *
 * <p>Belongs to the session's thread.
 */
final class DeviceWork {
  /** Most commands set free together that are looked at one by one. */
  private static final int MOST_FREED = 256;

  private final SessionContext context;
  private final Memo memo;
  private final Completions completions;
  private final Gates gates;
  private final Map<Integer, DeviceUse> uses = new ConcurrentSkipListMap<>();
  private final Map<SessionObject, UseWindow> open = new IdentityHashMap<>(); // by queue
  private @Nullable Effort current;

  DeviceWork(SessionContext context, Memo memo, Completions completions, Gates gates) {
    this.context = context;
    this.memo = memo;
    this.completions = completions;
    this.gates = gates;
  }

  private DeviceUse use(SessionObject queue) {
    int device = queue.attachment(QueueOrder.class).turn();
    DeviceUse use = uses.get(device);
    if (use == null) {
      use = new DeviceUse(context, device);
      uses.put(device, use);
    }
    return use;
  }

  /** Claims the devices of a call; false when the session is woken as soon as they may be had. */
  boolean claim(OpenClCall call) {
    if (call instanceof OpenClCall.SetUserEventStatus set) {
      current = null;
      return claim(gates.queuesBehind(set.event()));
    }
    Effort effort = Effort.of(call);
    boolean waits = effort != null && gates.wouldWait(effort.queue(), effort.waits());
    current = waits ? null : effort;
    return effort == null || waits || use(effort.queue()).claim();
  }

  /** In the order of their numbers, which is the same for all guests. */
  private boolean claim(List<SessionObject> queues) {
    Map<Integer, DeviceUse> wanted = new TreeMap<>();
    queues.forEach(queue -> wanted.put(use(queue).device(), use(queue)));
    for (DeviceUse use : wanted.values()) {
      if (!use.claim()) {
        return false;
      }
    }
    return true;
  }

  // ---- commands ----

  /**
   * Whether the event of the current command is needed, since it ends a window.
   *
   * @param wanted whether it is had anyway
   */
  boolean endsWindow(SessionObject queue, boolean wanted) {
    Effort effort = current;
    if (effort == null) {
      return false;
    }
    if (queue.attachment(QueueOrder.class).isOutOfOrder()) {
      return gates.isHeldBack(queue); // a marker would wait for the application
    }
    return wanted || window(queue).isFullWith(effort);
  }

  private UseWindow window(SessionObject queue) {
    UseWindow window = open.get(queue);
    if (window == null) {
      window = use(queue).begin();
      open.put(queue, window);
    }
    return window;
  }

  /**
   * The current command is queued.
   *
   * @param event if it ends a window, or 0
   */
  void queued(SessionObject queue, long event) {
    Effort effort = current;
    if (effort == null) {
      return;
    }
    UseWindow window = window(queue);
    boolean isFull = window.isFullWith(effort);
    window.add(effort);
    if (event != 0) {
      open.remove(queue);
      end(window, event);
    } else if (isFull) {
      close(queue);
    }
  }

  /** Does the current command's work, by this thread. */
  void run(SessionObject queue, Runnable command) {
    Effort effort = current;
    UseWindow window = use(queue).begin();
    if (effort != null) {
      window.add(effort);
    }
    window.close();
    try {
      command.run();
    } finally {
      window.done();
    }
  }

  /** Closes a window that ends with an event. */
  private void end(UseWindow window, long event) {
    window.close();
    completions.add(event, ClStatus.COMPLETE, null, _ -> window.done());
  }

  /** Closes the window of a queue, behind which comes what is none of it. */
  void close(SessionObject queue) {
    UseWindow window = open.remove(queue);
    if (window != null) {
      mark(queue, window);
    }
  }

  private void mark(SessionObject queue, UseWindow window) {
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clEnqueueMarkerWithWaitList(queue.handle(), 0, MemorySegment.NULL, out);
    if (status != ClStatus.SUCCESS) {
      window.close();
      window.done(); // a queue that takes nothing has nothing to run
      return;
    }
    long event = out.get(ValueLayout.JAVA_LONG, 0);
    end(window, event);
    int _ = OpenClLibrary.clFlush(queue.handle());
    int _ = OpenClLibrary.clReleaseEvent(event);
  }

  /** The window of a queue, which the caller ends when all in the queue has run; null for none. */
  @Nullable UseWindow take(SessionObject queue) {
    UseWindow window = open.remove(queue);
    if (window != null) {
      window.close();
    }
    return window;
  }

  // ---- commands that waited for the application ----

  /** Commands that an event of the application sets free, each with its event, retained. */
  List<Gates.Free> retainFree(SessionObject userEvent) {
    List<Gates.Free> free = gates.freeBy(userEvent, MOST_FREED);
    free.forEach(each -> {
      int _ = OpenClLibrary.clRetainEvent(each.event());
    });
    return free;
  }

  /** They are free: work from now on. */
  void freed(List<SessionObject> queues, List<Gates.Free> free) {
    for (SessionObject queue : queues) {
      if (!gates.isHeldBack(queue) || free.size() == MOST_FREED) {
        close(queue);
        mark(queue, some(queue));
      }
    }
    for (Gates.Free each : free) {
      if (gates.isHeldBack(each.queue())) {
        end(some(each.queue()), each.event());
      }
      int _ = OpenClLibrary.clReleaseEvent(each.event());
    }
  }

  private UseWindow some(SessionObject queue) {
    UseWindow window = use(queue).begin();
    window.add(new Effort(queue, List.of(), DeviceUse.WINDOW_NS, 0, null));
    return window;
  }

  // ---- the session's duty ----

  /** Gives back what the guest's turn is over for, once it has run. */
  void poll() {
    for (DeviceUse use : uses.values()) {
      if (use.isOverdue()) {
        closeAll(use);
        use.rest();
      }
    }
  }

  /**
   * Before the session sleeps: the end of all work wakes it, and claims without work are given
   * back, since nobody wakes it for them.
   */
  void arm() {
    for (DeviceUse use : uses.values()) {
      closeAll(use);
      use.rest();
    }
  }

  private void closeAll(DeviceUse use) {
    if (open.isEmpty()) {
      return;
    }
    memo.clear();
    for (SessionObject queue : new ArrayList<>(open.keySet())) {
      if (use(queue) == use) {
        close(queue);
      }
    }
  }

  /** How long devices have worked; a look from any thread. */
  long workedNs() {
    long sum = 0;
    for (DeviceUse use : uses.values()) {
      sum += use.workedNs();
    }
    return sum;
  }

  /** The session comes to its end: nothing is waited for. */
  void leave() {
    uses.values().forEach(DeviceUse::leave);
  }

  /** All that was queued has run. */
  void close() {
    open.clear();
    uses.values().forEach(DeviceUse::close);
  }
}
