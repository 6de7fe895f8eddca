package io.sluice.channel.nvidia.relay.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Memory that a channel reads, in one range and the next. */
final class NearbyMemoryTest {
  private static final long BASE = 0x2_0000_0000L;

  private final HostRange first = new HostRange(BASE, Arena.ofAuto().allocate(4096));
  private final HostRange next = new HostRange(BASE + 4096, Arena.ofAuto().allocate(4096));
  private final List<Long> asked = new ArrayList<>();
  private final NearbyMemory memory = new NearbyMemory(this::rangeOf);

  private Optional<HostRange> rangeOf(long address, long bytes) {
    asked.add(address);
    for (HostRange range : List.of(first, next)) {
      if (range.at(address, bytes).isPresent()) {
        return Optional.of(range);
      }
    }
    return Optional.empty();
  }

  private long addressOf(long address, long bytes) {
    return memory.at(address, bytes).map(MemorySegment::address).orElse(0L);
  }

  @Test
  void at_sameRange_isAskedForOnce() {
    assertThat(addressOf(BASE, 8)).isEqualTo(first.memory().address());
    assertThat(addressOf(BASE + 4088, 8)).isEqualTo(first.memory().address() + 4088);
    assertThat(asked).containsExactly(BASE);
  }

  @Test
  void at_nextRange_isNotTakenForTheFirst() {
    assertThat(addressOf(BASE + 4088, 8)).isNotZero();
    assertThat(addressOf(BASE + 4096, 8)).isEqualTo(next.memory().address());
    assertThat(addressOf(BASE, 4)).isEqualTo(first.memory().address());
    assertThat(asked).containsExactly(BASE + 4088, BASE + 4096, BASE);
  }

  @Test
  void at_whatIsNotThere_isNothing() {
    assertThat(memory.at(BASE + 4092, 8)).as("half in one, half in the other").isEmpty();
    assertThat(memory.at(BASE - 8, 8)).isEmpty();
    assertThat(memory.at(BASE + 8192, 1)).isEmpty();
    assertThat(addressOf(BASE, 4096)).isEqualTo(first.memory().address());
    assertThat(memory.at(BASE, 4097)).isEmpty();
    assertThat(memory.at(BASE, -1)).isEmpty();
    assertThat(memory.at(-8, 8)).isEmpty();
    assertThat(memory.at(BASE, Long.MAX_VALUE)).isEmpty();
  }
}
