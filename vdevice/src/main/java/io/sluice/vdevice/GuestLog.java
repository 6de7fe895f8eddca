package io.sluice.vdevice;

import io.sluice.abi.RateLimit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * The lines of the log about one guest, at a limited rate, because it is the guest who causes them.
 * The next line says how many were left out. What is for who debugs is not limited.
 */
final class GuestLog {
  private final String guest;
  private final LogRate most;
  private final RateLimit rate;
  private final AtomicLong leftOut = new AtomicLong();
  private final AtomicLong told = new AtomicLong();

  /**
   * @param most how many lines
   * @param clock nanoseconds
   */
  GuestLog(String guest, LogRate most, LongSupplier clock) {
    this.guest = guest;
    this.most = most;
    rate = new RateLimit(most.burst(), most.interval(), clock);
  }

  /** A line, which names the guest; nothing comes of one beyond the rate. */
  LoggingEventBuilder at(Logger log, Level level) {
    if (!log.isEnabledForLevel(level)) {
      return NOPLoggingEventBuilder.singleton();
    }
    boolean limited = level.compareTo(Level.INFO) <= 0; // ERROR, WARN, INFO
    if (limited && !rate.tryTake()) {
      leftOut.incrementAndGet();
      return NOPLoggingEventBuilder.singleton();
    }
    LoggingEventBuilder line = log.atLevel(level).addKeyValue("guest", guest);
    long more = limited ? takeLeftOut() : 0;
    return more == 0 ? line : line.addKeyValue("leftOut", more);
  }

  private long takeLeftOut() {
    long all = leftOut.get();
    return all - told.getAndSet(all);
  }

  /** Most lines. */
  LogRate rate() {
    return most;
  }

  /** Lines that were left out so far. */
  long leftOut() {
    return leftOut.get();
  }
}
