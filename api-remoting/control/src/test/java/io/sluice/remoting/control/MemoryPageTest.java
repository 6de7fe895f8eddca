package io.sluice.remoting.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What the hosts of a guest hold together. */
final class MemoryPageTest {
  private final MemorySegment memory = Arena.global().allocate(MemoryPage.BYTES, 64);
  private final MemoryPage page = new MemoryPage(memory);

  @Test
  void add_ofTwoHosts_givesTheSum() {
    assertThat(page.add(0, 100)).isEqualTo(100);
    assertThat(page.add(63, 50)).isEqualTo(150);
    assertThat(page.add(0, -40)).isEqualTo(110);
  }

  @Test
  void clear_ofOne_leavesTheOthers() {
    long _ = page.add(0, 100);
    long _ = page.add(1, 50);

    page.clear(0);

    assertThat(page.add(1, 0)).isEqualTo(50);
  }

  @Test
  void add_besideNonsense_isNeverNegative() {
    memory.fill((byte) 0x7f);
    assertThat(page.add(0, 1)).isEqualTo(Long.MAX_VALUE);
    memory.fill((byte) 0xff);
    assertThat(page.add(0, 0)).isZero();
  }
}
