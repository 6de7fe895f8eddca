package io.sluice.channel.guest;

import io.sluice.channel.state.ChannelError;

/**
 * The port by which a {@link Guest} reports to its device. Called without the guest's lock, so a
 * listener may call the guest; it must not block.
 */
public interface GuestListener {
  /**
   * A channel was made, by a call or by restoring; before the call returns.
   *
   * @param channelId the guest's id of the channel
   */
  default void onChannelCreated(int channelId) {}

  /**
   * A channel asked for an interrupt. A hint: it may come for a channel that was freed meanwhile.
   * Called on the thread that calls {@link Guest#dispatchEvents}; allocates nothing on the way.
   *
   * @param channelId the guest's id of the channel
   */
  void onInterrupt(int channelId);

  /**
   * The guest may hold another amount of video memory from now on.
   *
   * @param limitBytes how much
   * @param timeNs GPU time
   */
  default void onVramLimit(long limitBytes, long timeNs) {}

  /**
   * The guest had touched video memory that it never allocated; the memory was taken back. Told
   * about once a second at most.
   *
   * @param bytes how much, since this was told last
   */
  default void onExcessMemory(long bytes) {}

  /**
   * A channel ended, once for each channel. Its control page has the error already.
   *
   * @param error why, with the guest's id of the channel
   */
  void onChannelError(ChannelError error);

  /** One that wants to know nothing. */
  static GuestListener none() {
    return new GuestListener() {
      @Override
      public void onInterrupt(int channelId) {}

      @Override
      public void onChannelError(ChannelError error) {}
    };
  }
}
