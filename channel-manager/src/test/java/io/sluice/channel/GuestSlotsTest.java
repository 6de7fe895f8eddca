package io.sluice.channel;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
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
    int vid = guest.vspaceNew();
    int first = guest.channelNew(vid);
    guest.channelNew(vid);

    assertRefused(Errno.EDQUOT, () -> guest.channelNew(vid));
    guest.channelFree(first);
    assertThat(guest.channelNew(vid)).isEqualTo(first);
  }

  @Test
  void vspaceNew_keptByAChannelOnly_stillCounts() {
    Guest guest = attach("a", new SlotLimits(1, 1));
    int vid = guest.vspaceNew();
    int cid = guest.channelNew(vid);
    guest.vspaceFree(vid);

    assertRefused(Errno.EDQUOT, guest::vspaceNew);
    guest.channelFree(cid);
    assertThat(guest.vspaceNew()).isPositive();
  }

  @Test
  void channelNew_unknownAddressSpace_takesNothing() {
    Guest guest = attach("a", SlotLimits.NONE);

    assertRefused(Errno.ENOENT, () -> guest.channelNew(9));
    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS);
  }

  @Test
  void channelNew_greedyGuest_leavesOneForEachOther() {
    Guest greedy = attach("greedy", SlotLimits.NONE);
    Guest modest = attach("modest", SlotLimits.NONE);
    int vid = greedy.vspaceNew();
    for (int i = 0; i < CARD_CHANNELS - 1; i++) {
      greedy.channelNew(vid);
    }

    assertRefused(Errno.EDQUOT, () -> greedy.channelNew(vid));
    assertThat(modest.channelNew(modest.vspaceNew())).isPositive();
  }

  @Test
  void vspaceNew_greedyGuest_leavesOneForEachOther() {
    Guest greedy = attach("greedy", SlotLimits.NONE);
    Guest modest = attach("modest", SlotLimits.NONE);
    for (int i = 0; i < 126; i++) {
      greedy.vspaceNew();
    }

    assertRefused(Errno.EDQUOT, greedy::vspaceNew);
    assertThat(modest.vspaceNew()).isPositive();
  }

  @Test
  void reset_givesEverythingBack() {
    Guest guest = attach("a", SlotLimits.DEFAULT);
    guest.channelNew(guest.vspaceNew());
    guest.reset();

    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS);
  }

  @Test
  void restore_beyondTheLimit_isEdquotAndLeavesTheGuestEmpty() {
    Guest source = attach("source", SlotLimits.NONE);
    int vid = source.vspaceNew();
    source.channelNew(vid);
    source.channelNew(vid);
    List<StateRecord> records = source.snapshot();
    Guest target = attach("target", new SlotLimits(1, 1));

    assertRefused(Errno.EDQUOT, () -> target.restore(records));
    assertThat(target.channelIds()).isEmpty();
    assertThat(slots.freeChannels()).isEqualTo(CARD_CHANNELS - 2);
  }

  private Guest attach(String name, SlotLimits limits) {
    slots.admit(name, limits);
    return rig.attach(name, slots);
  }
}
