package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Queues that the application has released, until their commands have run: the library runs them
 * all the same (OpenCL 1.2, section 5.1), and they use the session's memory and write what moves.
 * Belongs to the session's thread.
 */
final class LeavingQueues implements AutoCloseable {
  private final Memo memo;
  private final Completions completions;
  private final Gates gates;
  private List<LeavingQueue> leaving = new ArrayList<>();

  /**
   * A queue that leaves.
   *
   * @param end an event that is complete when its commands have run; 0 where there could be none
   */
  private record LeavingQueue(SessionObject queue, long end) {}

  LeavingQueues(Memo memo, Completions completions, Gates gates) {
    this.memo = memo;
    this.completions = completions;
    this.gates = gates;
  }

  /** A queue is in the table no more. */
  void add(SessionObject queue) {
    memo.clear();
    MemorySegment out = memo.bytes(Long.BYTES);
    int status =
        OpenClLibrary.clEnqueueMarkerWithWaitList(queue.handle(), 0, MemorySegment.NULL, out);
    int _ = OpenClLibrary.clFlush(queue.handle());
    long end = status == ClStatus.SUCCESS ? out.get(ValueLayout.JAVA_LONG, 0) : 0;
    leaving.add(new LeavingQueue(queue, end));
  }

  /** All of them. */
  List<SessionObject> queues() {
    return leaving.stream().map(LeavingQueue::queue).toList();
  }

  /**
   * Whether there may be another queue beside those in the table. Queues that leave count, since
   * there could be any number of them otherwise. The memo may be empty then.
   */
  boolean leaveRoom(int inTable) {
    if (inTable + leaving.size() >= OpenClKinds.QUEUE.most()) {
      settle();
    }
    return inTable + leaving.size() < OpenClKinds.QUEUE.most();
  }

  /** Gives those back to the library whose commands have run; the memo is empty then. */
  void settle() {
    if (leaving.isEmpty()) {
      return;
    }
    List<LeavingQueue> before = leaving;
    leaving = new ArrayList<>(before.size());
    for (LeavingQueue each : before) {
      if (hasWork(each)) {
        leaving.add(each);
      } else {
        giveBack(each);
      }
    }
  }

  /** What waits for the application is not to be waited for here, whatever the event says. */
  private boolean hasWork(LeavingQueue each) {
    if (gates.isHeldBack(each.queue)) {
      return true;
    }
    memo.clear();
    return each.end != 0 && completions.look(each.end) > ClStatus.COMPLETE;
  }

  /**
   * What fails with an event of the application's may end, and what waits for it with it, while
   * commands before it run still: PoCL 3.1 does so. Nobody waits here otherwise.
   */
  private void giveBack(LeavingQueue each) {
    int _ = OpenClLibrary.clFinish(each.queue.handle());
    gates.forgetQueue(each.queue);
    if (each.end != 0) {
      int _ = OpenClLibrary.clReleaseEvent(each.end);
    }
    each.queue.lose();
    int _ = Objects.releaseNative(each.queue);
  }

  /** Waits for all commands; the application's events are set. */
  @Override
  public void close() {
    leaving.forEach(this::giveBack);
    leaving.clear();
  }
}
