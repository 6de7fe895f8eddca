package io.sluice.channel.nvidia.relay.card;

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

  /**
   * Copies the beginning of an object to memory of the host, and waits for it.
   *
   * @param client RM's handle of the client that has it
   * @param bytes a multiple of 4 KiB, at most what it has
   * @throws io.sluice.abi.RefusedException when the host can spare no such memory, or the driver
   *     refuses
   */
  KeptContents keep(int client, int object, long bytes);

  /** A token that rings a channel of ours, which nobody else uses: it does nothing to anybody. */
  int idleToken();

  /** Has the card look at a channel. What it is to see must have been stored before a fence. */
  void ring(int token);

  /** The contents of an object, in memory of the host. */
  interface KeptContents extends AutoCloseable {
    /**
     * Copies it to the beginning of an object, and waits for it.
     *
     * @param by the copier of the card that has the object: perhaps not that which has kept it
     * @throws io.sluice.abi.RefusedException when the driver refuses
     */
    void copyTo(ProgramCopier by, int client, int object);

    /** Gives the memory back. */
    @Override
    void close();
  }

  /** Fills the beginning of an object with zeros, and waits for it; the same. */
  void clear(int client, int object, long bytes);
}
