package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class CallQueueTest {
  @Test
  void create_moreEntriesThanTheRingHolds_throws() {
    assertThatThrownBy(() -> new CallQueue(129)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ring_outOfRange_isIgnored() {
    CallQueue queue = new CallQueue(4);
    queue.ring(-1);
    queue.ring(4);
    queue.ring(Integer.MAX_VALUE);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void ring_twiceBeforeItIsTaken_waitsOnce() {
    CallQueue queue = new CallQueue(4);
    queue.ring(2);
    queue.ring(1);
    queue.ring(2);
    assertThat(List.of(queue.take(), queue.take())).containsExactly(2, 1);
    assertThat(queue.isEmpty()).isTrue();
    queue.ring(2);
    assertThat(queue.take()).isEqualTo(2);
  }

  @Test
  void take_afterClose_isClosedWhateverWaits() {
    CallQueue queue = new CallQueue(4);
    queue.ring(1);
    queue.close();
    assertThat(queue.take()).isEqualTo(CallQueue.CLOSED);
  }

  @Test
  void close_whileSomebodyWaits_endsTheWait() {
    CallQueue queue = new CallQueue(4);
    CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(queue::take);
    queue.close();
    assertThat(taken.join()).isEqualTo(CallQueue.CLOSED);
  }

  /** What was stored before the last doorbell of a slot is seen by a look after it was taken. */
  @Test
  void ring_whileAnotherThreadTakes_losesNoDoorbell() {
    int slots = 65;
    int rounds = 200_000;
    CallQueue queue = new CallQueue(slots);
    AtomicIntegerArray stored = new AtomicIntegerArray(slots);
    CompletableFuture<List<Integer>> taker =
        CompletableFuture.supplyAsync(() -> {
          Integer[] seen = new Integer[slots];
          for (int slot = queue.take(); slot != CallQueue.CLOSED; slot = queue.take()) {
            seen[slot] = stored.get(slot);
          }
          List<Integer> result = new ArrayList<>();
          for (int slot = 0; slot < slots; slot++) {
            result.add(seen[slot] == null ? 0 : seen[slot]);
          }
          return result;
        });
    for (int round = 1; round <= rounds; round++) {
      int slot = round % slots;
      stored.set(slot, round);
      queue.ring(slot);
      queue.wake();
    }
    while (!queue.isEmpty()) {
      Thread.onSpinWait();
    }
    // The last one may be taken and not yet looked at: one more makes sure that it was.
    queue.ring(0);
    queue.wake();
    while (!queue.isEmpty()) {
      Thread.onSpinWait();
    }
    queue.close();
    List<Integer> seen = taker.join();
    for (int slot = 0; slot < slots; slot++) {
      assertThat(seen.get(slot)).isEqualTo(stored.get(slot));
    }
  }
}
