package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import java.util.List;

/** The relay of a guest's CUDA programs, as whoever lets them in uses it. */
public interface ProgramRelay extends AutoCloseable {
  /**
   * Serves a program until it leaves or is sent away; all that it made is gone when this returns.
   * For a thread of its own, which may block, and which has no privileges afterwards.
   *
   * @param connection the program's; is closed
   */
  void serve(Fd connection);

  /** The programs there are. */
  List<ProgramStatus> programs();

  /** Ends a program; false when there is none of that number. */
  boolean end(long number);

  /** Sends all programs away and takes no more. */
  @Override
  void close();
}
