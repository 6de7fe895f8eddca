package io.sluice.channel.state;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.guest.GuestAbi;

/** The words an operator reads for the errors of a channel, as docs/abi.md lists them. */
public final class ChannelErrors {
  private static final ImmutableMap<Integer, String> NAMES =
      ImmutableMap.<Integer, String>builder()
          .put(GuestAbi.ERROR_PAGE_FAULT, "page-fault")
          .put(GuestAbi.ERROR_ILLEGAL_METHOD, "illegal-method")
          .put(GuestAbi.ERROR_ILLEGAL_WORD, "illegal-word")
          .put(GuestAbi.ERROR_ILLEGAL_ENTRY, "illegal-entry")
          .put(GuestAbi.ERROR_PUT_OVERFLOW, "put-overflow")
          .put(GuestAbi.ERROR_EMPTY_SUBCHANNEL, "empty-subchannel")
          .put(GuestAbi.ERROR_SEMAPHORE, "semaphore")
          .put(GuestAbi.ERROR_SEMAPHORE_TIMEOUT, "semaphore-timeout")
          .put(GuestAbi.ERROR_ENGINE, "engine")
          .put(GuestAbi.ERROR_SM, "sm")
          .put(GuestAbi.ERROR_UNSUPPORTED, "unsupported")
          .put(GuestAbi.ERROR_REVOKED, "revoked")
          .put(GuestAbi.ERROR_TIMEOUT, "timeout")
          .put(GuestAbi.ERROR_OPERATOR, "operator")
          .put(GuestAbi.ERROR_DEVICE, "device")
          .buildOrThrow();

  private ChannelErrors() {}

  /** The word for SLUICE_ERROR_*; empty for 0. */
  public static String name(int reason) {
    return reason == 0 ? "" : NAMES.getOrDefault(reason, "error-" + reason);
  }
}
