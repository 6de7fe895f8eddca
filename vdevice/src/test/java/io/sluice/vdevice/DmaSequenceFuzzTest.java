package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.FuzzInput;
import io.sluice.vdevice.dma.MapLimits;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Maps and unmaps in any order, against a model that keeps them page by page: the server takes
 * exactly what the model takes, and accounts for it.
 */
final class DmaSequenceFuzzTest extends ServerTest {
  private static final int MAX_STEPS = 64;
  private static final int PAGES = 24;
  private static final int FILE_PAGES = 8;
  private static final int MAP = 2;
  private static final int UNMAP = 3;
  private static final int ALL = 2;
  private static final long PAGE = 4096;

  /** By its first page, the pages of a map. */
  private final Map<Integer, Integer> maps = new HashMap<>();

  private final Map<Integer, Integer> withFile = new HashMap<>();

  /** A step is: what, first page, pages, page of the file, kind of file, half a page more. */
  static Stream<byte[]> steps() {
    return Stream.of(
        new byte[] {0, 0, 4, 0, 0, 0, 0, 4, 4, 4, 0, 0, 1, 0, 8, 0, 0, 0},
        new byte[] {0, 2, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 1, 3, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0},
        new byte[] {0, 1, 8, 1, 0, 0, 0, 1, 7, 1, 2, 0, 0, 1, 8, 0, 3, 0, 0, 1, 1, 0, 1, 1},
        new byte[] {0, 5, 1, 0, 1, 0, 0, 6, 1, 0, 2, 0, 1, 0, 24, 0, 0, 0});
  }

  @MethodSource("steps")
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void sequence(byte[] input) {
    FuzzInput choices = new FuzzInput(input);
    try (Fd memory = kernel.memfdCreate("ram", FILE_PAGES * PAGE);
        Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      for (int i = 0; i < MAX_STEPS && !choices.isEmpty(); i++) {
        step(choices, memory, event);
        assertAccounted();
      }
    }
    assertGoesOn();
  }

  private void step(FuzzInput choices, Fd memory, Fd event) {
    int what = choices.nextInt(3);
    int first = choices.nextInt(PAGES);
    int pages = choices.nextInt(PAGES);
    int filePage = choices.nextInt(FILE_PAGES + 1);
    int file = choices.nextInt(4); // 0, 3 shared memory, 1 no memory, 2 none
    int beside = choices.nextInt(8) == 1 ? 512 : 0;
    long iova = first * PAGE + beside;
    long size = pages * PAGE;
    switch (what) {
      case 0 -> {
        boolean takes =
            beside == 0
                && pages > 0
                && file != 1
                && (file == 2 || filePage + pages <= FILE_PAGES)
                && maps.entrySet().stream()
                    .noneMatch(map ->
                        map.getKey() < first + pages && first < map.getKey() + map.getValue());
        byte[] map = body(32, 3, filePage * PAGE, iova, size);
        boolean taken =
            file == 2 ? ask(MAP, map) : file == 1 ? ask(MAP, map, event) : ask(MAP, map, memory);
        assertThat(taken).isEqualTo(takes);
        if (takes) {
          maps.put(first, pages);
          if (file != 2) {
            withFile.put(first, pages);
          }
        }
      }
      case 1 -> {
        boolean cuts =
            maps.entrySet().stream()
                .anyMatch(map -> {
                  int end = map.getKey() + map.getValue();
                  boolean inside = map.getKey() >= first && end <= first + pages;
                  return map.getKey() < first + pages && first < end && !inside;
                });
        boolean takes = beside == 0 && pages > 0 && !cuts;
        assertThat(ask(UNMAP, body(24, 0, iova, size))).isEqualTo(takes);
        if (takes) {
          maps.keySet().removeIf(page -> page >= first && page < first + pages);
          withFile.keySet().removeIf(page -> page >= first && page < first + pages);
        }
      }
      default -> {
        assertThat(ask(UNMAP, body(24, ALL, 0L, 0L))).isTrue();
        maps.clear();
        withFile.clear();
      }
    }
  }

  private boolean ask(int command, byte[] body, Fd... fds) {
    try (RawClient.Message reply = client.call(command, body, fds)) {
      return !reply.isError();
    }
  }

  private void assertAccounted() {
    assertThat(session.dma().size()).isEqualTo(maps.size());
    long pages = withFile.values().stream().mapToLong(Integer::longValue).sum();
    assertThat(share.used()).isEqualTo(new MapLimits(pages * PAGE, withFile.size()));
    assertThat(gpu.last().regions).hasSize(withFile.size());
  }
}
