package io.sluice.channel.nvidia.submit;

/**
 * The two pointers into a ring, as they were at one moment.
 *
 * @param get GP_GET: the next entry to fetch
 * @param put GP_PUT: the first entry that was not put
 */
public record RingPointers(int get, int put) {
  /** Those of a channel that was never given anything. */
  public static final RingPointers START = new RingPointers(0, 0);

  /** Fetched is not finished. */
  public boolean isAllFetched() {
    return get == put;
  }
}
