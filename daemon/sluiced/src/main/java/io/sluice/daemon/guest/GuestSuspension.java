package io.sluice.daemon.guest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.state.ChannelState;
import io.sluice.management.ErrorCode;
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

  /** How often a channel is asked to go on before an operator is told that it does not. */
  private static final int ATTEMPTS = 3;

  @GuardedBy("this")
  private boolean suspended;

  @GuardedBy("this")
  private final Set<Integer> channels = new HashSet<>();

  synchronized boolean isSuspended() {
    return suspended;
  }

  /**
   * Suspends all channels. When one cannot be, all go on; as long as one of those does not, the
   * guest counts as suspended, so that an operator can resume it.
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
    } finally {
      suspended = complete || !resumeAll(guest);
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

  /**
   * Lets all go on.
   *
   * @throws RefusedException some channels do not; the guest stays suspended, and this may be
   *     called again
   */
  synchronized void end(Guest guest) {
    suspended = !resumeAll(guest);
    if (suspended) {
      throw new RefusedException(
          ErrorCode.GUEST_SUSPEND.code(),
          Errno.EIO,
          "channels of it do not go on, n=" + channels.size(),
          "try again; the daemon's log says why");
    }
  }

  /** Whether all go on. One that fails keeps no other from it, and is tried a few times. */
  @GuardedBy("this")
  private boolean resumeAll(Guest guest) {
    for (int attempt = 0; attempt < ATTEMPTS && !channels.isEmpty(); attempt++) {
      boolean last = attempt + 1 == ATTEMPTS;
      channels.removeIf(id -> goesOn(guest, id, last));
    }
    return channels.isEmpty();
  }

  private static boolean goesOn(Guest guest, int id, boolean last) {
    try {
      guest.channels().resume(id, "the operator resumed the guest");
      return true;
    } catch (RuntimeException | Error e) {
      if (!isSuspended(guest, id)) {
        LOG.atDebug().setCause(e).addKeyValue("cid", id).log("a channel was freed meanwhile");
        return true;
      }
      if (last) {
        LOG.atWarn().setCause(e).addKeyValue("cid", id).log("a channel does not go on");
      }
      return false;
    }
  }

  private static boolean isSuspended(Guest guest, int id) {
    try {
      return guest.channels().query(id).state() == ChannelState.SUSPENDED;
    } catch (SluiceException _) {
      return false; // there is none
    }
  }

  /** The guest has left, and its channels with it. */
  synchronized void forget() {
    suspended = false;
    channels.clear();
  }
}
