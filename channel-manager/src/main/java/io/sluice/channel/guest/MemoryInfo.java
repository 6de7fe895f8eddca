package io.sluice.channel.guest;

import java.util.OptionalLong;

/**
 * The properties of a buffer.
 *
 * @param flags pscnv GEM flags it was made with
 * @param tileFlags storage kind
 * @param cookie the guest's own word
 * @param sizeBytes bytes, as rounded up
 * @param apertureOffset byte offset in the video-memory aperture; empty when it is not there
 */
public record MemoryInfo(
    int flags, int tileFlags, int cookie, long sizeBytes, OptionalLong apertureOffset) {}
