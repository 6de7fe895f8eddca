package io.sluice.channel.nvidia.memory;

import io.sluice.channel.nvidia.rm.RmOpen;
import java.util.List;

/** The host memory of a card for what its guests' video memory does not hold. */
public interface HostPool {
  /**
   * Chunks of so many bytes together.
   *
   * @param zeros whether they must hold zeros; otherwise perhaps something of this guest's
   */
  List<Chunk> take(RmOpen guest, long bytes, boolean zeros);

  /** The guest does not map them any more. */
  void giveBack(RmOpen guest, List<Chunk> chunks);
}
