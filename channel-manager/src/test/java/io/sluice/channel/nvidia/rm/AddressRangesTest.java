package io.sluice.channel.nvidia.rm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against a bit per address. */
final class AddressRangesTest {
  private static final int END = 256;

  @Test
  void find_atRandom_agreesWithTryingEveryAddress() {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    Random random = new Random(seed);
    AddressRanges ranges = new AddressRanges();
    BitSet taken = new BitSet(END);
    List<int[]> live = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (!live.isEmpty() && random.nextInt(5) < 2) {
        int[] gone = live.remove(random.nextInt(live.size()));
        ranges.giveBack(gone[0]);
        taken.clear(gone[0], gone[0] + gone[1]);
        continue;
      }
      int start = random.nextInt(END);
      int end = start + random.nextInt(END - start + 1);
      int bytes = 1 + random.nextInt(24);
      int alignment = 1 << random.nextInt(5);
      boolean highest = random.nextBoolean();
      OptionalLong found = ranges.find(start, end, bytes, alignment, highest);
      assertThat(found)
          .as("seed=%d step=%d", seed, step)
          .isEqualTo(byTrying(taken, start, end, bytes, alignment, highest));
      found.ifPresent(at -> {
        ranges.take(at, bytes);
        taken.set((int) at, (int) at + bytes);
        live.add(new int[] {(int) at, bytes});
      });
    }
  }

  private static OptionalLong byTrying(
      BitSet taken, int start, int end, int bytes, int alignment, boolean highest) {
    OptionalLong best = OptionalLong.empty();
    for (int at = start; at + bytes <= end; at++) {
      int next = taken.nextSetBit(at);
      boolean fits = at % alignment == 0 && (next < 0 || next >= at + bytes);
      if (fits && (highest || best.isEmpty())) {
        best = OptionalLong.of(at);
      }
    }
    return best;
  }
}
