package io.sluice.guest;

/** A channel ended because of something it did, or was made to. */
public final class ChannelFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int error;

  ChannelFailedException(int channel, int error, int info, long address) {
    super(
        "channel %d ended: error=%d info=0x%x address=0x%x"
            .formatted(channel, error, info, address));
    this.error = error;
  }

  /** SLUICE_ERROR_*. */
  public int error() {
    return error;
  }
}
