package io.sluice.remoting.state;

/** The failure of a state stream: one that is not as it must be, or that ended. */
public final class StateException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * @param message ends in name=value
   */
  public StateException(String message) {
    super(message);
  }
}
