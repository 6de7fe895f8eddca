package io.sluice.channel.guest;

import java.util.OptionalLong;

/**
 * A buffer that was allocated.
 *
 * @param handle the guest's handle of it
 * @param sizeBytes bytes, as rounded up
 * @param apertureOffset byte offset in the video-memory aperture; empty when it is not there
 */
public record MemoryGrant(int handle, long sizeBytes, OptionalLong apertureOffset) {}
