package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import java.util.List;

/** The relay of one guest: its programs, each with files and objects of its own. */
public final class Relay implements AutoCloseable {
  private final RelayLimits limits;

  public Relay(RelayLimits limits) {
    this.limits = limits;
  }

  /**
   * Serves a program until it leaves or is sent away; all that it made is gone when this returns.
   * For a thread of its own, which may block.
   *
   * @param connection the program's; is closed
   */
  public void serve(Fd connection) {
    throw new UnsupportedOperationException("limits=" + limits);
  }

  /** The programs there are. */
  public List<ProgramStatus> programs() {
    return List.of();
  }

  /** Ends a program; false when there is none of that number. */
  public boolean end(long number) {
    return false;
  }

  /** Sends all programs away and takes no more. */
  @Override
  public void close() {}
}
