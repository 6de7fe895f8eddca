package io.sluice.vdevice.session;

import io.sluice.abi.Iova;

/**
 * A segment as a guest names it.
 *
 * @param count of extents in the list
 * @param list where the list is
 * @param bytes of all extents
 */
public record NamedSegment(long count, Iova list, long bytes) {}
