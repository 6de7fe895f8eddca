package io.sluice.channel.nvidia.relay;

import io.sluice.abi.RateLimit;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.PeerCredentials;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * The log's lines about the CUDA programs of a guest: few, however much they do. What is left out
 * is counted with each program.
 */
final class RelayLog {
  /** Most lines at once. */
  static final int BURST = 20;

  /** Time after which there may be one more. */
  static final Duration INTERVAL = Duration.ofSeconds(10);

  private final Logger log;
  private final String guest;
  private final RateLimit rate;

  /**
   * @param clock nanoseconds
   */
  RelayLog(Logger log, String guest, LongSupplier clock) {
    this.log = log;
    this.guest = guest;
    rate = new RateLimit(BURST, INTERVAL, clock);
  }

  /** A call was refused, or ended its program's connection. */
  void refused(PeerCredentials peer, String what) {
    if (rate.tryTake()) {
      log.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("pid", peer.pid())
          .addKeyValue("what", what)
          .log("refused a call of a CUDA program");
    }
  }

  /** A program was not let in. */
  void turnedAway(RefusedException why) {
    if (rate.tryTake()) {
      log.atWarn()
          .addKeyValue("guest", guest)
          .log("a CUDA program is turned away: {}", why.getMessage());
    }
  }

  /** The relay itself has failed for a program. */
  void failed(PeerCredentials peer, RuntimeException why) {
    if (rate.tryTake()) {
      log.atError()
          .addKeyValue("guest", guest)
          .addKeyValue("pid", peer.pid())
          .setCause(why)
          .log("a CUDA program is sent away: the relay failed");
    }
  }
}
