package io.sluice.migrate.engine;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.guest.GuestMove.Drain;
import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.link.MigrationCode;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The watch over a drain: what does not end in time is ended, or the migration is. */
final class DrainWatch {
  private static final Logger LOG = LoggerFactory.getLogger(DrainWatch.class);

  private final String guest;
  private final GuestMove move;
  private final MigrationSettings settings;
  private long startNs;
  private int ended;

  /**
   * @param guest its name, for the log
   */
  DrainWatch(String guest, GuestMove move, MigrationSettings settings) {
    this.guest = guest;
    this.move = move;
    this.settings = settings;
  }

  /** Access has been taken back. */
  void begin(long nowNs) {
    startNs = nowNs;
  }

  /** Channels that were ended because their work did not. */
  int ended() {
    return ended;
  }

  /**
   * Looks at work that goes on.
   *
   * @return why the migration is to be given up; empty when it is not
   */
  Optional<Reason> look(Drain.Draining busy, long nowNs) {
    if (nowNs - startNs <= settings.drainTimeout().toNanos()) {
      return Optional.empty();
    }
    long runningMs = busy.runningNs() / 1_000_000;
    if (settings.onTimeout() == OnTimeout.FORCE) {
      int now = move.endBusy(GuestAbi.ERROR_OPERATOR);
      ended += now;
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("cid", busy.channelId())
          .addKeyValue("runningMs", runningMs)
          .addKeyValue("ended", now)
          .log("work that did not end was ended");
      return Optional.empty();
    }
    return Optional.of(
        new Reason(
            MigrationCode.DRAIN,
            "a channel's work does not end, cid=" + busy.channelId() + " runningMs=" + runningMs,
            "Try again with a longer --drain-timeout, end what runs, or have it ended with"
                + " --on-timeout force."));
  }
}
