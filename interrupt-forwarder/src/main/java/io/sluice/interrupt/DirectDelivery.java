package io.sluice.interrupt;

import io.sluice.abi.sys.Fd;
import org.jspecify.annotations.Nullable;

/**
 * The port by which a GPU is told to signal eventfds by itself: {@code Guest::setInterruptTarget}.
 */
@FunctionalInterface
public interface DirectDelivery {
  /**
   * Has interrupts of a channel signal an eventfd, or, without one, come as events. When this
   * returns a former eventfd is used no more.
   *
   * @throws io.sluice.abi.RefusedException ENOENT when there is no such channel any more
   */
  void setInterruptTarget(int channelId, @Nullable Fd eventfd);
}
