package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.rm.RmStatus;

/** The refusal of a call that a program asked for, in RM's own terms. */
public final class Denial extends Exception {
  private static final long serialVersionUID = 1L;

  private final RmStatus status;

  /**
   * @param status what the program is answered
   * @param what was refused, for the log
   */
  public Denial(RmStatus status, String what) {
    super(what);
    this.status = status;
  }

  public RmStatus status() {
    return status;
  }
}
