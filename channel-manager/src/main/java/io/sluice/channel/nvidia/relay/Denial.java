package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.RmStatus;

/** The refusal of a call that a program asked for, in RM's own terms. */
final class Denial extends Exception {
  private static final long serialVersionUID = 1L;

  private final RmStatus status;

  /**
   * @param status what the program is answered
   * @param what was refused, for the log
   */
  Denial(RmStatus status, String what) {
    super(what);
    this.status = status;
  }

  RmStatus status() {
    return status;
  }
}
