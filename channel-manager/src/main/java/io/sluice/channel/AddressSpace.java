package io.sluice.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import java.util.OptionalInt;

/**
 * A GPU address space: addresses of bytes from 0, as many as {@link GpuInfo#addressSpaceBytes}.
 * Closing it is deferred while a channel uses it. {@link GuestGpu} says how refusals are written
 * here.
 */
public interface AddressSpace extends AutoCloseable {
  /**
   * Maps a whole buffer at the first free range.
   *
   * @param memory of the same open, none of whose pages is missing
   * @param start lowest address allowed
   * @param end first address not allowed
   * @param highestFirst search from the top
   * @return a multiple of 4096
   * @throws RefusedException ENOMEM (SLU-GPU-001, SLU-GPU-005, SLU-RM-007): no room in the range,
   *     or too many mappings; EINVAL (SLU-GPU-001): pages are missing; EINVAL (SLU-RM-008): the GPU
   *     maps such a buffer elsewhere only
   * @throws IllegalArgumentException the buffer is another open's
   */
  GpuVa map(GuestGpu.GpuMemory memory, GpuVa start, GpuVa end, boolean highestFirst);

  /**
   * Unmaps what contains the address.
   *
   * @throws RefusedException ENOENT (SLU-GPU-006, SLU-RM-009): nothing does
   */
  void unmap(GpuVa address);

  /**
   * A new channel without a ring.
   *
   * @param id the id wanted, when restoring, 1 to {@link GpuInfo#maxChannels} minus 1; otherwise
   *     the lowest free one is taken
   * @throws RefusedException ENOMEM (SLU-GPU-001, SLU-GPU-004, SLU-RM-007): no channel is left;
   *     EBUSY (SLU-GPU-001, SLU-RM-011): the id is taken; EINVAL (SLU-GPU-001) or ENOMEM
   *     (SLU-RM-007): it is out of range; ENOENT (SLU-GPU-001, SLU-RM-009): the address space is
   *     closed
   */
  Channel createChannel(OptionalInt id);

  @Override
  void close();
}
