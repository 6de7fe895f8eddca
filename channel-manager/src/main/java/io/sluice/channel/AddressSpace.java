package io.sluice.channel;

import io.sluice.abi.GpuVa;
import java.util.OptionalInt;

/** A GPU address space. Closing it is deferred while a channel uses it. */
public interface AddressSpace extends AutoCloseable {
  /**
   * Maps a whole buffer at the first free range.
   *
   * @param start lowest address allowed
   * @param end first address not allowed
   * @param highestFirst search from the top
   */
  GpuVa map(GuestGpu.GpuMemory memory, GpuVa start, GpuVa end, boolean highestFirst);

  /** Unmaps what contains the address; ENOENT when nothing does. */
  void unmap(GpuVa address);

  /**
   * A new channel without a ring.
   *
   * @param id the id wanted, when restoring; otherwise the lowest free one is taken
   */
  Channel createChannel(OptionalInt id);

  @Override
  void close();
}
