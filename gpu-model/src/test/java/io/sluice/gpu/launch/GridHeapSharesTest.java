package io.sluice.gpu.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.warp.HeapBudget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guests that together take all of the heap that grids may have, and one that comes later. */
final class GridHeapSharesTest {
  private static final long MIB = 1 << 20;
  private static final long OPEN = 64 * MIB;

  /** What a worker takes with the largest block and the most shared memory. */
  private static final long LARGEST_WORKER = 500 << 10;

  private static HeapBudget.WorkerShare fill(HeapBudget budget, long piece) {
    HeapBudget.WorkerShare share = budget.new WorkerShare();
    while (share.tryTake(piece)) {
      // as much as it may
    }
    return share;
  }

  @ParameterizedTest
  @ValueSource(longs = {128, 256, 512, 2048, 8192})
  void open_whereOthersHaveTakenAllTheyMay_hasItsOwn(long heapMib) {
    GridHeap heap = new GridHeap(heapMib * MIB, OPEN);
    assertThat(heap.ownBytes()).isGreaterThanOrEqualTo(LARGEST_WORKER);
    List<HeapBudget.WorkerShare> taken = new ArrayList<>();
    for (int i = 0; i < 127; i++) {
      taken.add(fill(heap.open(), 64 << 10));
    }
    HeapBudget honest = heap.open();
    HeapBudget.WorkerShare share = honest.new WorkerShare();
    assertThat(share.tryTake(heap.ownBytes())).isTrue();
    assertThat(honest.usedBytes()).isEqualTo(heap.ownBytes());
    share.giveAll();
    taken.forEach(HeapBudget.WorkerShare::giveAll);
    assertThat(heap.open().new WorkerShare().tryTake(Math.min(OPEN, heapMib * MIB / 4)))
        .as("all was given back")
        .isTrue();
  }

  @Test
  void open_alone_hasNoMoreThanItsLimit() {
    HeapBudget budget = new GridHeap(512 * MIB, OPEN).open();
    HeapBudget.WorkerShare all = fill(budget, MIB);
    assertThat(budget.usedBytes()).isEqualTo(OPEN);
    all.giveAll();
    assertThat(budget.usedBytes()).isZero();
  }

  /** What an operator grants each, for all of them it is no more than there is. */
  @Test
  void open_withALimitOfTheOperators_hasThat() {
    HeapBudget small = new GridHeap(512 * MIB, MIB).open();
    HeapBudget.WorkerShare all = fill(small, 64 << 10);
    assertThat(small.usedBytes()).isEqualTo(small.limitBytes()).isEqualTo(MIB);
    all.giveAll();

    HeapBudget large = new GridHeap(512 * MIB, 4096 * MIB).open();
    HeapBudget.WorkerShare most = fill(large, 64 << 10);
    assertThat(large.usedBytes()).isLessThan(512 * MIB);
    most.giveAll();
  }

  /** Whoever is refused has taken nothing, of the common part neither. */
  @Test
  void take_refused_changesNothing() {
    GridHeap heap = new GridHeap(512 * MIB, OPEN);
    HeapBudget budget = heap.open();
    for (int i = 0; i < 100; i++) {
      assertThat(budget.new WorkerShare().tryTake(OPEN + 1)).isFalse();
    }
    assertThat(budget.usedBytes()).isZero();
    assertThat(budget.new WorkerShare().tryTake(OPEN)).isTrue();
  }
}
