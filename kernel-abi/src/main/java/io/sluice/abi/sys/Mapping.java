package io.sluice.abi.sys;

import java.lang.foreign.MemorySegment;

/**
 * A shared mapping of a file. The owner closes it when no thread uses its segment any more; an
 * access after that throws {@link IllegalStateException}, it never touches foreign memory.
 *
 * <p>Closing costs tens of microseconds to milliseconds (a handshake with all threads), so it
 * belongs to set-up and tear-down, never to a data path.
 */
public interface Mapping extends AutoCloseable {
  /** The mapped bytes, usable from any thread until {@link #close}. */
  MemorySegment segment();

  /** Length in bytes. */
  default long sizeBytes() {
    return segment().byteSize();
  }

  @Override
  void close();
}
