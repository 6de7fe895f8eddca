package io.sluice.management.local;

import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's ear for what those who come to the control socket were refused. It is told on the
 * thread that refuses, so it must be quick, and it must stand as many refusals as callers can make.
 */
public interface RefusalListener {
  /** Somebody connected who may not control the daemon, or one too many. */
  void connectionRefused(Peer peer, String why);

  /**
   * An operation or a change of an attribute ended with an exception, which the caller gets. {@link
   * Peer#current} is who asked.
   *
   * @param bean of which; null when the caller named none
   * @param operation the operation, or the method of {@link javax.management.MBeanServer}
   */
  void operationRefused(@Nullable ObjectName bean, String operation, Throwable why);

  /** Nobody listens. */
  static RefusalListener none() {
    return new RefusalListener() {
      @Override
      public void connectionRefused(Peer peer, String why) {}

      @Override
      public void operationRefused(@Nullable ObjectName bean, String operation, Throwable why) {}
    };
  }
}
