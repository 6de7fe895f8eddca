package io.sluice.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.MemoryBudget;
import org.junit.jupiter.api.Test;

final class RelayHeapSharesTest {
  private static final long MIB = 1 << 20;

  private final RelayHeap heap = new RelayHeap(1024 * MIB); // 4 MiB each, and 512

  @Test
  void guest_withFewPrograms_hasAsMuchAsOneWithMany() {
    assertThat(heap.guest(1).limitBytes()).isEqualTo(256 * MIB);
    assertThat(heap.guest(64).limitBytes()).isEqualTo(256 * MIB);
    assertThat(heap.guest(128).limitBytes()).isEqualTo(512 * MIB);
    assertThat(heap.guest(1024).limitBytes()).isEqualTo(516 * MIB);
  }

  @Test
  void guests_thatTakeAll_leaveTheOthersTheirParts() {
    assertThat(heap.guest(64).take(256 * MIB)).isTrue();
    assertThat(heap.guest(64).take(256 * MIB)).isTrue();
    assertThat(heap.guest(64).take(12 * MIB)).isTrue();

    for (int i = 3; i < 128; i++) {
      MemoryBudget other = heap.guest(64);
      assertThat(other.take(4 * MIB)).isTrue();
      assertThat(other.take(1)).isFalse();
    }
  }
}
