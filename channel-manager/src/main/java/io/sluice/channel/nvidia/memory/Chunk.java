package io.sluice.channel.nvidia.memory;

import io.sluice.abi.GpuVa;

/**
 * A piece of host memory that a guest has in place of video memory.
 *
 * @param memory the piece
 * @param object the guest's handle of it
 */
public record Chunk(SystemMemory memory, int object) {
  public long bytes() {
    return memory.bytes();
  }

  /**
   * A piece of host memory.
   *
   * @param bytes length
   * @param object the pool's handle of it
   * @param alias its address in the pool's monitor's space
   */
  public record SystemMemory(long bytes, int object, GpuVa alias) {}
}
