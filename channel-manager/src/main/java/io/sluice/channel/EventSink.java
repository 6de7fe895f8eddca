package io.sluice.channel;

import io.sluice.channel.state.ChannelError;

/**
 * The receiver of what channels did. Interrupts are the hot path and come as plain numbers, so that
 * nothing is allocated between a GPU's event and the guest's vector; errors are rare and come as
 * records.
 */
public interface EventSink {
  /**
   * A channel asked for an interrupt: NON_STALL_INTERRUPT, a notify, an awaken. Interrupts of one
   * channel that nobody has read yet count as one.
   *
   * @param channelId the guest's id of the channel
   * @param timeNs GPU time of the first of them
   */
  void interrupt(int channelId, long timeNs);

  /** A channel ended with an error. */
  void error(ChannelError error);

  /**
   * Memory that was touched without having been allocated was taken back.
   *
   * @param bytes how much, since this was told last
   */
  default void excessMemory(long bytes) {}
}
