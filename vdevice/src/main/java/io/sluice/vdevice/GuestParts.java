package io.sluice.vdevice;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.Guest;
import io.sluice.interrupt.ChannelInterrupts;
import io.sluice.vdevice.pci.VectorTable;
import java.lang.foreign.MemorySegment;

/**
 * A client's guest, and what must exist before it does because it is told of events from the
 * beginning: {@link GuestNotifier} with what that writes and signals.
 */
record GuestParts(
    VectorTable vectors, GuestEventQueue events, GuestNotifier notifier, Guest guest) {
  /** Bits of the pending bitmap: as many as its place in BAR 1 has room for. */
  private static final int MAX_CHANNELS = 8 * (GuestAbi.BAR1_SIZE - GuestAbi.BAR1_PENDING);

  /** The maker of a guest. */
  interface GuestFactory {
    Guest open(GuestNotifier notifier);
  }

  /**
   * Makes a guest whose interrupts go through the device. When that fails nothing is left but the
   * call area, which stays the caller's.
   *
   * @param source takes a guest back that could not be set up
   */
  static GuestParts make(
      SessionPlace place, GuestSource source, CallArea callArea, GuestFactory opener) {
    VectorTable vectors = new VectorTable(place.kernel(), place.signals(), place.sessionThreads());
    GuestEventQueue events = new GuestEventQueue(callArea.segment());
    MemorySegment pending = callArea.segment().asSlice(GuestAbi.BAR1_PENDING);
    ChannelInterrupts channels = new ChannelInterrupts(pending, MAX_CHANNELS, vectors);
    GuestNotifier notifier = new GuestNotifier(events, vectors, channels);
    vectors.observe(channels::vectorChanged);
    Guest guest = opener.open(notifier);
    boolean complete = false;
    try {
      if (guest.capabilities().contains(Capability.DIRECT_INTERRUPTS)) {
        guest
            .channels()
            .setPendingBitmap(
                callArea.file(), GuestAbi.BAR1_PENDING, GuestAbi.BAR1_SIZE - GuestAbi.BAR1_PENDING);
        channels.useDirectDelivery(guest.channels()::setInterruptTarget);
      }
      complete = true;
      return new GuestParts(vectors, events, notifier, guest);
    } finally {
      if (!complete) {
        source.release(guest);
      }
    }
  }
}
