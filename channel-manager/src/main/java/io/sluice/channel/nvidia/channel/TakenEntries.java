package io.sluice.channel.nvidia.channel;

/**
 * The count of ring entries that a channel has taken. GP_GET alone is seen, so that what is taken
 * between two sights counts modulo the ring. Guarded by the open's lock.
 */
final class TakenEntries {
  private int get;
  private long entries;

  /**
   * Counts what was taken since GP_GET was seen last.
   *
   * @param now GP_GET
   * @param ringEntries a power of two
   */
  void count(int now, int ringEntries) {
    entries = entries(now, ringEntries);
    get = now;
  }

  /** What was taken up to the last count. */
  long entries() {
    return entries;
  }

  /**
   * The same, with what was taken since; counts nothing.
   *
   * @param now GP_GET
   * @param ringEntries a power of two
   */
  long entries(int now, int ringEntries) {
    return entries + ((now - get) & (ringEntries - 1));
  }
}
