package io.sluice.channel.policy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.guest.Guest;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A guest as the {@link Watchdog} sees it. It may be closed, and a channel freed, at any moment:
 * there is nothing to watch then.
 */
record WatchedGuest(Guest guest) implements Watchdog.Watched {
  private static final Logger log = LoggerFactory.getLogger(WatchedGuest.class);

  @Override
  public String name() {
    return guest.name();
  }

  @Override
  public Optional<Map<Integer, Channel.Status>> channels() {
    try {
      return guest.channels().lookSoon(Watchdog.PATIENCE);
    } catch (RefusedException gone) {
      log.atDebug().setCause(gone).log("gone while it was observed");
      return Optional.of(Map.of());
    }
  }

  @Override
  public Optional<Map<Integer, Long>> progress() {
    try {
      return guest.channels().progressSoon(Watchdog.PATIENCE);
    } catch (RefusedException gone) {
      log.atDebug().setCause(gone).log("gone while it was glanced at");
      return Optional.of(Map.of());
    }
  }

  @Override
  public void kill(int channelId, int info, Predicate<Channel.Status> asFound, Runnable counted) {
    try {
      guest
          .channels()
          .killSoon(Watchdog.PATIENCE, channelId, GuestAbi.ERROR_TIMEOUT, info, asFound, counted);
    } catch (RefusedException gone) {
      log.atDebug().setCause(gone).log("gone before it was ended");
    }
  }
}
