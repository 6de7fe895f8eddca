package io.sluice.migrate.qemu;

/**
 * The standing by of a machine: what of its stream is taken, so that QEMU's migration thread waits
 * in a write with what is kept back. Held back by its own limit of what it sends it would sleep
 * until a tenth of a second is over, and only then see what it may do; a thread that has waited for
 * longer than that sees it at once.
 */
final class StandBy {
  /**
   * @param keptBytes that QEMU is to have left; 0 when it may send all
   * @param stepBytes most bytes that are taken from one look to the next
   */
  private record SendLimits(long keptBytes, long stepBytes) {}

  private final RamTransport.Source transport;
  private volatile SendLimits limits = new SendLimits(0, Long.MAX_VALUE);

  StandBy(RamTransport.Source transport) {
    this.transport = transport;
  }

  /** Keeps so much back, from the next look on; all is taken from now on when that is 0. */
  void keepBack(long bytes, long stepBytes) {
    limits = new SendLimits(bytes, stepBytes);
    if (bytes == 0) {
      transport.takeUpTo(Long.MAX_VALUE);
    }
  }

  /** Ends it; behind what QEMU is to be told before: it acts on that when its stream is taken. */
  void end() {
    limits = new SendLimits(0, limits.stepBytes());
    transport.takeUpTo(Long.MAX_VALUE);
  }

  /**
   * Takes what may be taken until the next look. What QEMU says to have left it had not sent when
   * it said so: what had been taken before it was asked, and that, is taken in all when it has
   * nothing left.
   *
   * @param takenBefore it was asked
   * @param bytesLeft -1 when it does not say yet
   */
  void look(long takenBefore, long bytesLeft) {
    SendLimits now = limits;
    long more =
        bytesLeft < 0
            ? now.stepBytes()
            : Math.clamp(bytesLeft - now.keptBytes(), 0, now.stepBytes());
    transport.takeUpTo(now.keptBytes() == 0 ? Long.MAX_VALUE : takenBefore + more);
  }
}
