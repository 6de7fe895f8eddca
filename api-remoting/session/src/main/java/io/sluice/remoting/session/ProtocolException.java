package io.sluice.remoting.session;

import io.sluice.abi.Errno;

/** A breach of the ring's protocol by the application's side. Ends its session, nothing else. */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Errno errno;

  /**
   * @param errno what the application is told
   */
  public ProtocolException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  /** The number that the session's state word has from then on. */
  public Errno errno() {
    return errno;
  }
}
