package io.sluice.gpu.fifo;

/** The looks that the channels of one open of the GPU get in a round. Guarded by the GPU's lock. */
final class OpenLooks {
  /** Most channels of an open, of those that had nothing to do the last time, in a round. */
  static final int MOST_POLLS = 8;

  /** Channels of the open that are on the runlist. */
  int channels;

  private long pollRound;
  private int polls;
  private long workRound;
  private boolean parked;
  private long insideRound;

  /** Counts one more channel as looked at in a round; false when that is one too many. */
  boolean takePoll(long round) {
    if (pollRound != round) {
      pollRound = round;
      polls = 0;
    }
    return polls++ < MOST_POLLS;
  }

  /** An acquire of one of the channels was found waiting. */
  void foundParked() {
    parked = true;
  }

  /**
   * One of the channels got on in a round.
   *
   * @return whether that may be what another one waits for
   */
  boolean noteWork(long round) {
    workRound = round;
    return parked;
  }

  /** One of the channels is to be looked at inside the open's gate in a round. */
  void wantInside(long round) {
    insideRound = round;
  }

  /** Whether that is so of one of the channels. */
  boolean wantsInside(long round) {
    return insideRound == round;
  }

  /** Whether one of the channels got on in a round. */
  boolean hasWorked(long round) {
    return workRound == round;
  }
}
