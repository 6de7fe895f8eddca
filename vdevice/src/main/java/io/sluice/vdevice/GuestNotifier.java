package io.sluice.vdevice;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.interrupt.ChannelInterrupts;
import io.sluice.vdevice.pci.VectorTable;

/**
 * The way of what happens to a guest's channels to the guest: pending bit and vector of the channel
 * for an interrupt, an event and vector 0 for an error.
 */
final class GuestNotifier implements GuestListener {
  private static final int CALLS_AND_EVENTS = 0;

  /** Between the codes of two generations: 2^32 divided by the golden ratio. */
  private static final int GENERATIONS_APART = 0x9e3779b1;

  private final GuestEventQueue events;
  private final VectorTable vectors;
  private final ChannelInterrupts channels;

  /** Whether the guest is there to be told of changes: what was before, it reads. */
  private volatile boolean begun;

  GuestNotifier(GuestEventQueue events, VectorTable vectors, ChannelInterrupts channels) {
    this.events = events;
    this.vectors = vectors;
    this.channels = channels;
  }

  @Override
  public void onChannelCreated(int channelId) {
    channels.channelCreated(channelId);
  }

  @Override
  public void onInterrupt(int channelId) {
    channels.raise(channelId);
  }

  @Override
  public void onChannelError(ChannelError error) {
    boolean _ =
        events.post(
            GuestAbi.EVENT_CHANNEL_ERROR,
            error.channelId(),
            error.reason(),
            error.info(),
            error.address(),
            error.timeNs());
    vectors.raise(CALLS_AND_EVENTS);
    // Who waits for the channel's work waits on the channel's vector.
    channels.raise(error.channelId());
  }

  /** A call has finished. */
  void onCallDone() {
    vectors.raise(CALLS_AND_EVENTS);
  }

  /** An API session has something for the guest. */
  void onSession() {
    vectors.raise(CALLS_AND_EVENTS);
  }

  /** Tells that all ids are void. */
  void onGeneration(int generation, long timeNs) {
    boolean _ = events.post(GuestAbi.EVENT_GENERATION, 0, generation, 0, 0, timeNs);
    vectors.raise(CALLS_AND_EVENTS);
  }

  /**
   * Asks the guest to write to each page that it has registered, which changes nothing.
   *
   * @param generation of the device: what a guest does late, for a former one, has another code
   * @return the code that shows in {@link GuestEventQueue#touched} when it has; 0 when it cannot be
   *     asked, or its driver does not know the question
   */
  int askToTouch(int generation, long timeNs) {
    int code = GENERATIONS_APART * generation + events.head() + 1;
    boolean known = events.touched() != 0;
    boolean taken = code == 0 || code == GuestAbi.TOUCH_KNOWN;
    if (!known || taken || !events.post(GuestAbi.EVENT_TOUCH, 0, code, 0, 0, timeNs)) {
      return 0;
    }
    vectors.raise(CALLS_AND_EVENTS);
    return code;
  }

  /** From now on, changes are told. */
  void begin() {
    begun = true;
  }

  @Override
  public void onVramLimit(long limitBytes, long timeNs) {
    if (!begun) {
      return;
    }
    boolean _ = events.post(GuestAbi.EVENT_QUOTA, 0, 0, 0, limitBytes, timeNs);
    vectors.raise(CALLS_AND_EVENTS);
  }
}
