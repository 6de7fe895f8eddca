package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.Gpu;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.state.StateTransfers;
import java.util.Optional;

/**
 * The source from which a device gets its guest: a new one for each client that attaches, so that
 * nothing of one client, not even a mapping it keeps, reaches the next.
 */
public interface GuestSource {
  /**
   * Opens the GPU for a client and begins to deliver its channels' events.
   *
   * @param listener told of them
   */
  Guest open(GuestListener listener);

  /**
   * As {@link #open}, for a client that is taken over with the files of its memory.
   *
   * @param files stay the caller's
   */
  default Guest adopt(GuestListener listener, Gpu.AdoptedFiles files) {
    throw new RefusedException(
        DeviceCode.NO_TAKEOVER, Errno.EOPNOTSUPP, "clients cannot be taken over here", "");
  }

  /** Somebody was turned away because a client is attached; must not wait. */
  default void refused(PeerCredentials who) {}

  /** Bytes of this process' heap for the guest's tables; by whoever attaches, one at a time. */
  default MemoryBudget heap() {
    return MemoryBudget.upTo(() -> Long.MAX_VALUE);
  }

  /** How clients move the device by VFIO's migration protocol; empty when they cannot. */
  default Optional<StateTransfers> transfers() {
    return Optional.empty();
  }

  /** Who serves the guest's API sessions; empty when it cannot have any. */
  default Optional<ApiSessions> sessions() {
    return Optional.empty();
  }

  /** Ends the delivery of events and closes the guest: everything it held is given back. */
  void release(Guest guest);
}
