package io.sluice.migrate.wire;

import io.sluice.abi.RateLimit;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The lines of the log about connections that were refused, at a limited rate, because strangers
 * cause them: {@link #BURST} at once, then one each {@link #INTERVAL}. The next line says how many
 * were left out. Any thread may use it.
 */
final class RefusalLog {
  static final int BURST = 16;
  static final Duration INTERVAL = Duration.ofSeconds(2);

  private final Logger log;
  private final RateLimit rate;
  private final AtomicLong suppressed = new AtomicLong();

  /**
   * @param clock nanoseconds
   */
  RefusalLog(Logger log, LongSupplier clock) {
    this.log = log;
    rate = new RateLimit(BURST, INTERVAL, clock);
  }

  /** A connection was refused. */
  void refused(@Nullable SocketAddress peer, @Nullable String why) {
    if (!rate.tryTake()) {
      suppressed.incrementAndGet();
      return;
    }
    log.atWarn()
        .addKeyValue("peer", peer)
        .addKeyValue("leftOut", suppressed.getAndSet(0))
        .log("a connection was refused: {}", why);
  }
}
