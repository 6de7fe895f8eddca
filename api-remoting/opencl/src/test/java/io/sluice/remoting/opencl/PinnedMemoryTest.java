package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.remoting.session.CallRecord;
import io.sluice.remoting.session.ObjectTable;
import io.sluice.remoting.session.SessionObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory that is pinned, for each context, and given back; the library is one that counts. */
final class PinnedMemoryTest {
  private static final long SEGMENT = 1 << 20;
  private static final long LARGE = 64 << 10;

  /** What the library was asked for. */
  private record Asked(long context, MemorySegment memory) {}

  private final Arena arena = Arena.ofConfined();
  private final ObjectTable objects = new ObjectTable(OpenClKinds.ALL);
  private final MemorySegment first = arena.allocate(SEGMENT);
  private final MemorySegment second = arena.allocate(SEGMENT);
  private final MemorySegment third = arena.allocate(SEGMENT);
  private final List<Asked> asked = new ArrayList<>();
  private final List<Long> held = new ArrayList<>();
  private boolean refuses;
  private final PinnedMemory pinned =
      new PinnedMemory(
          2 * SEGMENT,
          this::segmentOf,
          new PinnedMemory.Library() {
            @Override
            public long pin(long context, MemorySegment memory) {
              asked.add(new Asked(context, memory));
              if (refuses) {
                return 0;
              }
              held.add((long) asked.size());
              return asked.size();
            }

            @Override
            public void unpin(long handle) {
              assertThat(held.remove(handle)).isTrue();
            }
          });

  @AfterEach
  void stop() {
    pinned.close();
    assertThat(held).isEmpty();
    arena.close();
  }

  /** The segment that a range is of. */
  private MemorySegment segmentOf(MemorySegment range) {
    return Stream.of(first, second)
        .filter(segment -> segment.asOverlappingSlice(range).isPresent())
        .findFirst()
        .orElse(third);
  }

  private SessionObject queue(int number, boolean ofProcessors) {
    SessionObject context =
        objects.add(OpenClKinds.CONTEXT, number, contextHandle(number), CallRecord.NONE);
    CallRecord made = new CallRecord(0, new byte[0], List.of(context), 0, 0);
    return objects
        .add(OpenClKinds.QUEUE, number, number, made)
        .attach(new QueueOrder(false, 0, ofProcessors));
  }

  private static long contextHandle(int number) {
    return 1000 + number;
  }

  @Test
  void reach_smallTransfer_pinsNothing() {
    pinned.reach(queue(1, false), first.asSlice(0, 4096));
    assertThat(asked).isEmpty();
  }

  @Test
  void reach_queueOfProcessors_pinsNothing() {
    pinned.reach(queue(1, true), first.asSlice(0, LARGE));
    assertThat(asked).isEmpty();
  }

  @Test
  void reach_contextThatIsReleased_pinsNothing() {
    SessionObject queue = queue(1, false);
    objects.remove(OpenClKinds.CONTEXT, 1).lose();
    pinned.reach(queue, first.asSlice(0, LARGE));
    assertThat(asked).isEmpty();
  }

  @Test
  void reach_manyTransfersOfTwoSegments_pinsEachOnceAndWhole() {
    SessionObject queue = queue(1, false);
    for (int i = 0; i < 3; i++) {
      pinned.reach(queue, first.asSlice(i * LARGE, LARGE));
      pinned.reach(queue, second.asSlice(i * LARGE, LARGE));
    }
    assertThat(asked)
        .containsExactly(new Asked(contextHandle(1), first), new Asked(contextHandle(1), second));
  }

  @Test
  void reach_libraryThatRefuses_isNotAskedAgain() {
    refuses = true;
    SessionObject queue = queue(1, false);
    pinned.reach(queue, first.asSlice(0, LARGE));
    pinned.reach(queue, first.asSlice(0, LARGE));
    assertThat(asked).hasSize(1);
  }

  @Test
  void reach_moreContextsThanAreServed_leavesTheRest() {
    for (int number = 1; number <= 6; number++) {
      pinned.reach(queue(number, false), first.asSlice(0, LARGE));
    }
    assertThat(asked.stream().map(Asked::context)).containsExactly(1001L, 1002L, 1003L, 1004L);
  }

  @Test
  void reach_moreBytesThanAContextMayHave_leavesTheRest() {
    SessionObject queue = queue(1, false);
    pinned.reach(queue, first.asSlice(0, LARGE));
    pinned.reach(queue, second.asSlice(0, LARGE));
    pinned.reach(queue, third.asSlice(0, LARGE));
    pinned.reach(queue(2, false), third.asSlice(0, LARGE));
    assertThat(asked)
        .containsExactly(
            new Asked(contextHandle(1), first),
            new Asked(contextHandle(1), second),
            new Asked(contextHandle(2), third));
  }

  @Test
  void close_thenAnotherTransfer_pinsAnew() {
    SessionObject queue = queue(1, false);
    pinned.reach(queue, first.asSlice(0, LARGE));
    pinned.close();
    assertThat(held).isEmpty();
    pinned.reach(queue, first.asSlice(0, LARGE));
    assertThat(asked).hasSize(2);
  }
}
