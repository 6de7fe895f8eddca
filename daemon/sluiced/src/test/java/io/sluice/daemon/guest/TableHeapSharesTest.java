package io.sluice.daemon.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.MemoryBudget;
import org.junit.jupiter.api.Test;

final class TableHeapSharesTest {
  private static final long MIB = 1 << 20;

  private final TableHeap heap = new TableHeap(256 * MIB); // 1 MiB each, and 128

  @Test
  void guest_alone_hasItsPartAndTheRest() {
    assertThat(heap.guest().limitBytes()).isEqualTo(129 * MIB);
  }

  @Test
  void guests_thatTakeAll_leaveTheOthersTheirParts() {
    assertThat(heap.guest().take(100 * MIB)).isTrue();
    assertThat(heap.guest().take(30 * MIB)).isTrue();

    for (int i = 2; i < 128; i++) {
      MemoryBudget other = heap.guest();
      assertThat(other.take(MIB)).isTrue();
      assertThat(other.take(1)).isFalse();
    }
  }
}
