package io.sluice.daemon.guest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.state.ChannelState;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The suspension of an attached guest by an operator: its channels take no entries, nor do those
 * that it makes meanwhile. What it has in memory stays, and it may go on writing to its rings.
 */
final class GuestSuspension {
  private static final Logger LOG = LoggerFactory.getLogger(GuestSuspension.class);
  private static final String REASON = "the operator suspended the guest";

  @GuardedBy("this")
  private boolean suspended;

  @GuardedBy("this")
  private final Set<Integer> channels = new HashSet<>();

  synchronized boolean isSuspended() {
    return suspended;
  }

  /**
   * Suspends all channels. When one cannot be, all go on.
   *
   * @throws SluiceException when the GPU cannot do that
   */
  synchronized void begin(Guest guest) {
    boolean complete = false;
    try {
      for (int id : guest.channels().ids()) {
        suspend(guest, id);
      }
      complete = true;
      suspended = true;
    } finally {
      if (!complete) {
        resumeAll(guest);
      }
    }
  }

  @GuardedBy("this")
  private void suspend(Guest guest, int id) {
    if (guest.channels().query(id).state() == ChannelState.DEAD) {
      return;
    }
    guest.channels().suspend(id, REASON);
    channels.add(id);
  }

  /** A channel was made; it is suspended if the guest is. */
  synchronized void onCreated(Guest guest, int id) {
    if (!suspended) {
      return;
    }
    try {
      suspend(guest, id);
    } catch (SluiceException e) {
      LOG.atWarn().setCause(e).addKeyValue("cid", id).log("a new channel is not suspended");
    }
  }

  /** Lets all go on. */
  synchronized void end(Guest guest) {
    suspended = false;
    resumeAll(guest);
  }

  @GuardedBy("this")
  private void resumeAll(Guest guest) {
    for (int id : channels) {
      try {
        guest.channels().resume(id, "the operator resumed the guest");
      } catch (SluiceException e) {
        LOG.atDebug().setCause(e).addKeyValue("cid", id).log("a channel was freed meanwhile");
      }
    }
    channels.clear();
  }

  /** The guest has left, and its channels with it. */
  synchronized void forget() {
    suspended = false;
    channels.clear();
  }
}
