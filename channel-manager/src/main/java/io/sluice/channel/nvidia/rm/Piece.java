package io.sluice.channel.nvidia.rm;

/**
 * A part of a buffer that is one object of RM, mapped from its first byte.
 *
 * @param object RM's handle
 * @param offset where in the buffer it begins
 * @param bytes length
 */
public record Piece(int object, long offset, long bytes) {}
