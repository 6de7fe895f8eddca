package io.sluice.daemon.runtime;

import io.sluice.abi.RateLimit;
import io.sluice.management.PlainText;
import io.sluice.management.local.Peer;
import io.sluice.management.local.RefusalListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.management.MBeanException;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.RuntimeMBeanException;
import javax.management.RuntimeOperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log's lines about those whom the control socket refused something, beside {@link Audit}'s of
 * what was done. Strangers cause them, so there are {@link #BURST} at once and then one each {@link
 * #INTERVAL}; the next line says how many were left out.
 */
public final class RefusedCallers implements RefusalListener {
  static final int BURST = 16;
  static final Duration INTERVAL = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(RefusedCallers.class);
  private static final int MAX_REASON = 400; // characters of what a caller may have written

  private final RateLimit rate;
  private final AtomicLong leftOut = new AtomicLong();

  /**
   * @param clock nanoseconds
   */
  public RefusedCallers(LongSupplier clock) {
    rate = new RateLimit(BURST, INTERVAL, clock);
  }

  @Override
  public void connectionRefused(Peer peer, String why) {
    if (rate.tryTake()) {
      line("connection", peer.user().getName()).log("the control socket refused a caller: {}", why);
    } else {
      leftOut.incrementAndGet();
    }
  }

  @Override
  public void operationRefused(@Nullable ObjectName bean, String operation, Throwable why) {
    if (rate.tryTake()) {
      line("operation", Audit.caller())
          .addKeyValue("operation", shortened(operation))
          .addKeyValue("bean", bean == null ? "-" : shortened(bean.toString()))
          .log("refused: {}", shortened(reason(why)));
    } else {
      leftOut.incrementAndGet();
    }
  }

  private LoggingEventBuilder line(String what, String caller) {
    return LOG.atWarn()
        .addKeyValue("event", "refused-" + what)
        .addKeyValue("by", caller)
        .addKeyValue("leftOut", leftOut.getAndSet(0));
  }

  /** What the caller is told, without what JMX wraps it in. */
  private static String reason(Throwable why) {
    Throwable inner =
        switch (why) {
          case MBeanException wrapped -> wrapped.getTargetException();
          case RuntimeMBeanException wrapped -> wrapped.getTargetException();
          case RuntimeOperationsException wrapped -> wrapped.getTargetException();
          case ReflectionException wrapped -> wrapped.getTargetException();
          default -> why;
        };
    String message = inner.getMessage();
    return message == null ? inner.getClass().getSimpleName() : message;
  }

  private static String shortened(String text) {
    String plain = PlainText.of(text);
    return plain.length() <= MAX_REASON ? plain : plain.substring(0, MAX_REASON) + "...";
  }
}
