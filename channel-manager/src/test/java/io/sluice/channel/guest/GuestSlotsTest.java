package io.sluice.channel.guest;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.channel.CardSlots;
import io.sluice.channel.SlotLimits;
import io.sluice.channel.record.StateRecord;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guests that share the channels and address spaces of one card. */
final class GuestSlotsTest {
  private static final int CARD_CHANNELS = 126;

  private final GpuRig rig = new GpuRig();
  private final CardSlots slots = new CardSlots(rig.gpu.slots());

  @AfterEach
  void close() throws Exception {
    rig.close();
    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS);
  }

  @Test
  void channelNew_beyondTheLimit_isEdquotUntilOneIsFreed() {
    Guest guest = attach("a", new SlotLimits(2, 1));
    int vid = guest.spaces().create();
    int first = guest.channels().create(vid);
    guest.channels().create(vid);

    assertRefused(Errno.EDQUOT, () -> guest.channels().create(vid));
    guest.channels().free(first);
    assertThat(guest.channels().create(vid)).isEqualTo(first);
  }

  @Test
  void vspaceNew_keptByAChannelOnly_stillCounts() {
    Guest guest = attach("a", new SlotLimits(1, 1));
    int vid = guest.spaces().create();
    int cid = guest.channels().create(vid);
    guest.spaces().free(vid);

    assertRefused(Errno.EDQUOT, guest.spaces()::create);
    guest.channels().free(cid);
    assertThat(guest.spaces().create()).isPositive();
  }

  @Test
  void channelNew_unknownAddressSpace_takesNothing() {
    Guest guest = attach("a", SlotLimits.NONE);

    assertRefused(Errno.ENOENT, () -> guest.channels().create(9));
    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS);
  }

  @Test
  void channelNew_greedyGuest_leavesOneForEachOther() {
    Guest greedy = attach("greedy", SlotLimits.NONE);
    Guest modest = attach("modest", SlotLimits.NONE);
    int vid = greedy.spaces().create();
    for (int i = 0; i < CARD_CHANNELS - 1; i++) {
      greedy.channels().create(vid);
    }

    assertRefused(Errno.EDQUOT, () -> greedy.channels().create(vid));
    assertThat(modest.channels().create(modest.spaces().create())).isPositive();
  }

  @Test
  void vspaceNew_greedyGuest_leavesOneForEachOther() {
    Guest greedy = attach("greedy", SlotLimits.NONE);
    Guest modest = attach("modest", SlotLimits.NONE);
    for (int i = 0; i < 126; i++) {
      greedy.spaces().create();
    }

    assertRefused(Errno.EDQUOT, greedy.spaces()::create);
    assertThat(modest.spaces().create()).isPositive();
  }

  @Test
  void reset_givesEverythingBack() {
    Guest guest = attach("a", SlotLimits.DEFAULT);
    guest.channels().create(guest.spaces().create());
    guest.reset();

    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS);
  }

  @Test
  void restore_beyondTheLimit_isEdquotAndLeavesTheGuestEmpty() {
    Guest source = attach("source", SlotLimits.NONE);
    int vid = source.spaces().create();
    source.channels().create(vid);
    source.channels().create(vid);
    List<StateRecord> records = source.move().snapshot();
    Guest target = attach("target", new SlotLimits(1, 1));

    assertRefused(Errno.EDQUOT, () -> target.move().restore(records));
    assertThat(target.channels().ids()).isEmpty();
    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS - 2);
  }

  private Guest attach(String name, SlotLimits limits) {
    slots.admit(name, limits);
    return rig.attach(name, slots);
  }
}
