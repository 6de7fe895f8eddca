package io.sluice.channel;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How channels of a card are shared out; address spaces go by the same rule. */
@ExtendWith(Seeds.class)
final class CardSlotsTest {
  private final CardSlots slots = new CardSlots(new SlotLimits(6, 3));

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void slotLimits_lessThanOne_isRefused(int none) {
    assertThatThrownBy(() -> new SlotLimits(none, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SlotLimits(1, none)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void takeChannel_beyondTheLimit_isEdquotAndSaysWhichLimit() {
    slots.admit("a", new SlotLimits(2, 1));
    slots.takeChannel("a");
    slots.takeChannel("a");

    assertThatThrownBy(() -> slots.takeChannel("a"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-CHN-011")
        .hasMessageContaining("guest=a limit=2");
    assertThat(slots.freeChannels()).isEqualTo(4);
  }

  @Test
  void takeAddressSpace_beyondTheLimit_isEdquot() {
    slots.admit("a", new SlotLimits(2, 1));
    slots.takeAddressSpace("a");

    assertRefused(Errno.EDQUOT, () -> slots.takeAddressSpace("a"));
  }

  @Test
  void takeChannel_oneGuestAlone_leavesOneForAGuestToCome() {
    slots.admit("a", SlotLimits.NONE);
    take("a", 5);

    assertThatThrownBy(() -> slots.takeChannel("a")).hasMessageContaining("SLU-CHN-012");
    slots.admit("late", SlotLimits.NONE);
    slots.takeChannel("late");
    assertThat(slots.freeChannels()).isZero();
  }

  @Test
  void takeChannel_otherGuestsWithout_leavesEachOne() {
    slots.admit("a", SlotLimits.NONE);
    slots.admit("b", SlotLimits.NONE);
    slots.admit("c", SlotLimits.NONE);
    take("a", 4);

    assertRefused(Errno.EDQUOT, () -> slots.takeChannel("a"));
    slots.takeChannel("b");
    assertRefused(Errno.EDQUOT, () -> slots.takeChannel("b"));
    slots.takeChannel("c");
    assertThat(slots.freeChannels()).isZero();
  }

  @Test
  void takeChannel_nothingFree_isEnomem() {
    for (String guest : List.of("a", "b", "c", "d", "e", "f")) {
      slots.takeChannel(guest);
    }
    assertRefused(Errno.ENOMEM, () -> slots.takeChannel("g"));
  }

  @Test
  void giveChannel_notTaken_isABug() {
    assertThatThrownBy(() -> slots.giveChannel("a")).isInstanceOf(AssertionError.class);
  }

  @Test
  void admit_again_changesTheLimitOnly() {
    slots.admit("a", new SlotLimits(1, 1));
    slots.takeChannel("a");
    slots.admit("a", new SlotLimits(2, 1));
    slots.takeChannel("a");

    assertRefused(Errno.EDQUOT, () -> slots.takeChannel("a"));
  }

  @Test
  void forget_whileItHolds_countsUntilGivenBack() {
    slots.admit("a", SlotLimits.NONE);
    take("a", 3);
    slots.forget("a");
    assertThat(slots.freeChannels()).isEqualTo(3);

    for (int i = 0; i < 3; i++) {
      slots.giveChannel("a");
    }
    assertThat(slots.freeChannels()).isEqualTo(6);
  }

  @Test
  void takeChannel_atRandom_aGuestWithoutAnyAlwaysFindsOne(RandomGenerator random) {
    List<String> guests = List.of("a", "b", "c", "d");
    List<String> taken = new ArrayList<>();
    guests.forEach(guest -> slots.admit(guest, new SlotLimits(1 + random.nextInt(6), 1)));

    for (int step = 0; step < 10_000; step++) {
      String guest = guests.get(random.nextInt(guests.size()));
      if (random.nextBoolean()) {
        boolean had = taken.contains(guest);
        try {
          slots.takeChannel(guest);
          taken.add(guest);
        } catch (RefusedException refused) {
          assertThat(had).as(refused.getMessage()).isTrue();
        }
      } else if (taken.remove(guest)) {
        slots.giveChannel(guest);
      }
      assertThat(slots.freeChannels()).isEqualTo(6 - taken.size());
    }
  }

  private void take(String guest, int count) {
    for (int i = 0; i < count; i++) {
      slots.takeChannel(guest);
    }
  }
}
