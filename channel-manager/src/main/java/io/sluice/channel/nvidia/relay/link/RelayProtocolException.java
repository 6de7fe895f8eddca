package io.sluice.channel.nvidia.relay.link;

/** The end of a program that does not speak the relay's protocol. */
public final class RelayProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  public RelayProtocolException(String what) {
    super(what);
  }
}
