package io.sluice.guest;

import io.sluice.abi.guest.GuestAbi;

/** A channel ended because of something it did, or was made to. */
public final class ChannelFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int error;
  private final int info;
  private final long address;

  ChannelFailedException(int channel, int error, int info, long address) {
    super(describe(channel, error, info, address));
    this.error = error;
    this.info = info;
    this.address = address;
  }

  private static String describe(int channel, int error, int info, long address) {
    return error == GuestAbi.ERROR_TIMEOUT
        ? "channel %d killed: its command at 0x%x lasted %d ms while others waited"
            .formatted(channel, address, info)
        : "channel %d ended: error=%d info=0x%x address=0x%x"
            .formatted(channel, error, info, address);
  }

  /** SLUICE_ERROR_*. */
  public int error() {
    return error;
  }

  /** Detail of the error; of one that was killed, how many milliseconds its command lasted. */
  public int info() {
    return info;
  }

  /** GPU address of the error; of one that was killed, of its command. */
  public long address() {
    return address;
  }
}
