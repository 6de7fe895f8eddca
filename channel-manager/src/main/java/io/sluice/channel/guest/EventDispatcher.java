package io.sluice.channel.guest;

import io.sluice.channel.EventSink;
import io.sluice.channel.state.ChannelError;

/**
 * The dispatcher of a GPU's events: interrupts go straight on to the listener; an error changes the
 * tables first.
 */
final class EventDispatcher implements EventSink {
  private final int maxChannels;
  private final GuestLock lock;
  private final ChannelTable channels;
  private final GuestListener listener;

  EventDispatcher(int maxChannels, GuestLock lock, ChannelTable channels, GuestListener listener) {
    this.maxChannels = maxChannels;
    this.lock = lock;
    this.channels = channels;
    this.listener = listener;
  }

  @Override
  public void interrupt(int channelId, long timeNs) {
    if (channelId > 0 && channelId < maxChannels) {
      listener.onInterrupt(channelId);
    }
  }

  @Override
  public void excessMemory(long bytes) {
    listener.onExcessMemory(bytes);
  }

  @Override
  public void error(ChannelError error) {
    lock.runIfOpen(() -> channels.noteEvent(error));
  }
}
