package io.sluice.guest;

/** The host service is gone, or does not answer. */
public final class DeviceLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DeviceLostException(String message) {
    super(message);
  }
}
