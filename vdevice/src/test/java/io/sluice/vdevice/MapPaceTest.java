package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.MapPace;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A guest that maps and unmaps without end waits; waits are counted, and take no time here. */
final class MapPaceTest extends ServerTest {
  private static final int BURST = 64;
  private static final int BEYOND = 32;

  private final AtomicLong nowNs = new AtomicLong();
  private final AtomicLong pauses = new AtomicLong();

  @Override
  MapPace pace() {
    return new MapPace(
        BURST,
        nowNs::get,
        ns -> {
          assertThat(ns).isPositive();
          pauses.incrementAndGet();
          nowNs.addAndGet(ns);
        });
  }

  private void mapAndUnmap(int times) {
    try (Fd fd = kernel.memfdCreate("guest", 4096)) {
      kernel.addSeals(fd, Kernel.F_SEAL_SHRINK);
      for (int i = 0; i < times; i++) {
        client.ok(2, body(32, 3, 0L, 0L, 4096L), fd);
        client.ok(3, body(24, 0, 0L, 4096L));
      }
    }
  }

  @Test
  void map_asOftenAsMayBeAtOnce_neverWaits() {
    mapAndUnmap(BURST);
    assertThat(pauses).hasValue(0);
  }

  @Test
  void map_moreOftenThanThat_waitsForEachAndIsServed() {
    mapAndUnmap(BURST + BEYOND);
    assertThat(pauses).hasValueBetween(BEYOND - 1, BEYOND);
    nowNs.addAndGet(1_000_000_000L);
    mapAndUnmap(BEYOND);
    assertThat(pauses).as("time has passed").hasValueBetween(BEYOND - 1, BEYOND);
  }

  /** What has no memory behind it stops no thread. */
  @Test
  void map_withoutMemory_neverWaits() {
    for (int i = 0; i < BURST + BEYOND; i++) {
      client.ok(2, body(32, 3, 0L, 0L, 4096L));
      client.ok(3, body(24, 0, 0L, 4096L));
    }
    assertThat(pauses).hasValue(0);
  }
}
