package io.sluice.channel.nvidia.rm;

import io.sluice.abi.sys.Kernel;

/**
 * The memory that the host can spare for what leaves video memory, which is pinned: what guests do
 * with the card must not have the kernel look for a process to end.
 */
public final class SpareMemory {
  /** The part of the host's memory that others are left. */
  private static final int OTHERS_PART = 16;

  private SpareMemory() {}

  /** Whether as much more can be pinned. */
  public static boolean hasRoom(Kernel kernel, long bytes) {
    long others = kernel.hostLimits().memoryBytes() / OTHERS_PART;
    return bytes <= kernel.availableBytes() - others;
  }
}
