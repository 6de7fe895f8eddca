package io.sluice.channel.nvidia.relay.link;

/**
 * A part of what a program may map.
 *
 * @param backing what is to be mapped; its owner is another
 * @param offset in it
 * @param bytes that may be mapped from there
 */
public record MapTarget(MapBacking backing, long offset, long bytes) {
  /** All of some pages. */
  public static MapTarget whole(HostPages pages) {
    return new MapTarget(pages, 0, pages.bytes());
  }

  /** Whether a piece lies in it. */
  public boolean has(long at, long length) {
    return at >= 0 && length > 0 && at <= bytes && length <= bytes - at;
  }
}
