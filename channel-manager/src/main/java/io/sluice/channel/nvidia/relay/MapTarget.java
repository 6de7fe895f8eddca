package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;

/**
 * The memory that a file stands for, once RM_MAP_MEMORY has said so.
 *
 * @param file what is to be mapped; its owner is another
 * @param offset in it
 * @param bytes that may be mapped from there
 */
record MapTarget(Fd file, long offset, long bytes) {
  /** Whether a piece lies in it. */
  boolean has(long at, long length) {
    return at >= 0 && length > 0 && at <= bytes && length <= bytes - at;
  }
}
