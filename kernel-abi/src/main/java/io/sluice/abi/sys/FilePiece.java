package io.sluice.abi.sys;

/**
 * A part of a file, in whole pages.
 *
 * @param file stays its owner's
 */
public record FilePiece(Fd file, long offset, long bytes) {}
