package io.sluice.channel;

/**
 * Something a channel did. Interrupts of one channel that nobody has read yet count as one.
 *
 * @param channelId the guest's id of the channel
 * @param kind what happened
 * @param reason SLUICE_ERROR_* of an error, otherwise 0
 * @param info detail of the reason
 * @param address address of a fault, otherwise 0
 * @param timeNs GPU time of the first of them
 */
public record ChannelEvent(
    int channelId, Kind kind, int reason, int info, long address, long timeNs) {
  /** What happened. */
  public enum Kind {
    /** The channel asked for an interrupt: NON_STALL_INTERRUPT, a notify, an awaken. */
    INTERRUPT,
    /** The channel ended with an error. */
    ERROR
  }
}
