package io.sluice.migrate.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory for the payloads of frames of pages, used again and again: new memory would be zeroed, and
 * moved about by collectors while frames wait for their acknowledgement. It is of the kind that the
 * daemon's TLS takes without copying it.
 *
 * <p>What is not given back is the collector's, like any buffer.
 */
final class FrameMemory {
  /** Of each buffer: a frame of pages as this version builds it, with as many runs as can be. */
  static final int BYTES = 264 << 10;

  /** Shorter payloads have an array of their own. */
  private static final int LEAST_BYTES = 32 << 10;

  private final boolean direct;
  private final int mostFree;
  private final IncomingBudget incoming;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

  /**
   * @param direct outside the heap
   * @param mostFree most buffers that are kept while nobody uses them
   */
  FrameMemory(boolean direct, int mostFree) {
    this(direct, mostFree, IncomingBudget.usual());
  }

  /**
   * @param incoming what all frames hold that are in this memory, or beside it, and wait
   */
  FrameMemory(boolean direct, int mostFree, IncomingBudget incoming) {
    this.direct = direct;
    this.mostFree = mostFree;
    this.incoming = incoming;
  }

  /** The account of frames that wait for whoever takes them. */
  IncomingBudget incoming() {
    return incoming;
  }

  /** A buffer from 0 to a limit, little-endian; its bytes are any. */
  ByteBuffer take(int bytes) {
    if (bytes < LEAST_BYTES || bytes > BYTES) {
      return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
    ByteBuffer buffer;
    lock.lock();
    try {
      buffer = free.poll();
    } finally {
      lock.unlock();
    }
    if (buffer == null) {
      buffer = direct ? ByteBuffer.allocateDirect(BYTES) : ByteBuffer.allocate(BYTES);
    }
    return buffer.clear().limit(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Gives a buffer back that nobody looks at any more; one of another kind is left alone. */
  void give(ByteBuffer buffer) {
    if (buffer.capacity() != BYTES || buffer.isDirect() != direct || buffer.isReadOnly()) {
      return;
    }
    lock.lock();
    try {
      if (free.size() < mostFree) {
        free.push(buffer); // the last one is still in a cache
      }
    } finally {
      lock.unlock();
    }
  }
}
