package io.sluice.channel.nvidia.relay;

/** The end of a program that does not speak the relay's protocol. */
final class RelayProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  RelayProtocolException(String what) {
    super(what);
  }
}
