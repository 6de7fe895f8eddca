package io.sluice.channel.nvidia.relay;

/**
 * The GPU's copying of memory of a program's clients, by a channel of ours in an address space of
 * ours: none of the program's is used, and none can change what is copied where.
 */
public interface ProgramCopier {
  /**
   * Copies from the beginning of one object to that of another, and waits for it.
   *
   * @param client RM's handle of the client that has both
   * @param bytes a multiple of 4 KiB, at most what both have
   * @throws io.sluice.abi.RefusedException when the driver refuses
   */
  void copy(int client, int from, int to, long bytes);

  /** Fills the beginning of an object with zeros, and waits for it; the same. */
  void clear(int client, int object, long bytes);
}
