package io.sluice.vdevice.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.HostLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MapBudgetTest {
  private static final long GIB = 1L << 30;
  private static final HostLimits SERVICE = new HostLimits(65_536, 65_530, 64 * GIB);

  private static void refused(Errno errno, MapBudget.GuestShare share, long size) {
    MapLimits before = share.used();
    assertThatThrownBy(() -> share.take(size))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    assertThat(share.used()).isEqualTo(before);
  }

  private static int takeAll(MapBudget.GuestShare share, long size) {
    int taken = 0;
    try {
      while (taken <= MapLimits.MAX_MAPS) {
        share.take(size);
        taken++;
      }
    } catch (RefusedException _) {
      return taken;
    }
    throw new AssertionError("no limit");
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, -4096, Long.MAX_VALUE, 4 * GIB + 1, 3 * GIB + 1})
  void take_beyondTheOwnLimit_edquot(long size) {
    MapBudget.GuestShare share =
        new MapBudget(SERVICE, 1L << 45).share("a", new MapLimits(4 * GIB, 9));
    share.take(GIB);
    refused(Errno.EDQUOT, share, size);
    share.take(3 * GIB);
    share.give(3 * GIB);
    assertThat(share.used()).isEqualTo(new MapLimits(GIB, 1));
  }

  @Test
  void take_moreMapsThanTheOwnLimit_edquot() {
    MapBudget.GuestShare share = new MapBudget(SERVICE, 1L << 45).share("a", new MapLimits(GIB, 2));
    assertThat(takeAll(share, 4096)).isEqualTo(2);
    refused(Errno.EDQUOT, share, 4096);
  }

  @Test
  void take_whatIsKeptForOthers_enospc() {
    MapBudget budget = new MapBudget(SERVICE, 90 * GIB);
    MapBudget.GuestShare greedy = budget.share("greedy", new MapLimits(64 * GIB, 100));
    MapBudget.GuestShare modest = budget.share("modest", new MapLimits(64 * GIB, 100));
    greedy.take(30 * GIB);
    refused(Errno.ENOSPC, greedy, 4096); // 30 for the other, 30 for one that comes later
    modest.take(30 * GIB);
    MapBudget.GuestShare late = budget.share("late", new MapLimits(64 * GIB, 100));
    late.take(20 * GIB);
    refused(Errno.ENOSPC, late, 10 * GIB + 4096); // there are 30 left in all
  }

  /** Sixteen guests with 4095 maps each were more than a process may have. */
  @Test
  void take_allThatSixteenGuestsCan_leavesDescriptorsAndMappings() {
    MapBudget budget = new MapBudget(SERVICE, 1L << 45);
    List<MapBudget.GuestShare> shares = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      shares.add(budget.share("g" + i, new MapLimits(GIB, MapLimits.MAX_MAPS)));
    }
    long all = 0;
    for (MapBudget.GuestShare share : shares) {
      int taken = takeAll(share, 4096);
      assertThat(taken).as("a part for each, also the last").isGreaterThan(1500);
      all += taken;
    }
    assertThat(all).isLessThan(SERVICE.openFiles() - 16 * 96);
    assertThat(2 * all).isLessThan(SERVICE.mappings() - 16 * 96);
  }

  @Test
  void take_fewDescriptors_leavesHalf() {
    MapBudget budget = new MapBudget(new HostLimits(256, 65_530, GIB), 1L << 45);
    MapBudget.GuestShare attacker = budget.share("a", new MapLimits(GIB, MapLimits.MAX_MAPS));
    MapBudget.GuestShare victim = budget.share("b", new MapLimits(GIB, MapLimits.MAX_MAPS));
    assertThat(takeAll(attacker, 4096) + takeAll(victim, 4096)).isBetween(64, 128);
    assertThat(victim.used().maps()).isGreaterThan(32);
  }

  @Test
  void close_guestThatIsGone_leavesItsPartToOthers() {
    MapBudget budget = new MapBudget(SERVICE, 60 * GIB);
    MapBudget.GuestShare one = budget.share("a", new MapLimits(64 * GIB, 100));
    MapBudget.GuestShare other = budget.share("b", new MapLimits(64 * GIB, 100));
    refused(Errno.ENOSPC, one, 30 * GIB);
    other.close();
    one.take(30 * GIB);
  }
}
