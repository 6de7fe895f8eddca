package io.sluice.remoting.opencl;

import io.sluice.remoting.session.Answer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands that write the memory of an application on another host. Who answers that application
 * hears of each that has come to its end before the application can hear of that. Each event is
 * retained here.
 */
final class AwaitedWrites implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment word = arena.allocate(Long.BYTES); // calls have the session's memo
  private List<AwaitedWrite> expected = new ArrayList<>();

  private record AwaitedWrite(long event, Answer answer) {}

  /** A command is queued whose bytes somebody expects. */
  void expect(long event, Answer answer) {
    int _ = OpenClLibrary.clRetainEvent(event);
    expected.add(new AwaitedWrite(event, answer));
  }

  /**
   * Tells of those that have come to their end.
   *
   * @return how many
   */
  int settle() {
    if (expected.isEmpty()) {
      return 0;
    }
    List<AwaitedWrite> before = expected;
    expected = new ArrayList<>(before.size());
    for (AwaitedWrite each : before) {
      if (isUnderWay(each.event)) {
        expected.add(each);
      } else {
        each.answer.written();
        int _ = OpenClLibrary.clReleaseEvent(each.event);
      }
    }
    return before.size() - expected.size();
  }

  private boolean isUnderWay(long event) {
    int status =
        OpenClLibrary.clGetEventInfo(
            event, ClParam.EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, word, MemorySegment.NULL);
    return status == ClStatus.SUCCESS && word.get(ValueLayout.JAVA_INT, 0) > ClStatus.COMPLETE;
  }

  /** Whether any are expected. */
  boolean areExpected() {
    return !expected.isEmpty();
  }

  /** Forgets all. */
  @Override
  public void close() {
    expected.forEach(each -> {
      int _ = OpenClLibrary.clReleaseEvent(each.event);
    });
    expected.clear();
    arena.close();
  }
}
