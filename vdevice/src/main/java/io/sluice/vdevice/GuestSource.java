package io.sluice.vdevice;

import io.sluice.channel.Guest;
import io.sluice.channel.GuestListener;

/**
 * Where a device gets its guest from: a new one for each client that attaches, so that nothing of
 * one client, not even a mapping it keeps, reaches the next.
 */
public interface GuestSource {
  /**
   * Opens the GPU for a client and begins to deliver its channels' events.
   *
   * @param listener told of them
   */
  Guest open(GuestListener listener);

  /** Ends the delivery of events and closes the guest: everything it held is given back. */
  void release(Guest guest);
}
