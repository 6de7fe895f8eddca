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
    entries += (now - get) & (ringEntries - 1);
    get = now;
  }

  long entries() {
    return entries;
  }
}
