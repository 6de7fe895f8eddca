package io.sluice.channel.nvidia.evict;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.memory.NvidiaMemory;
import io.sluice.channel.nvidia.submit.CopyQueue;

/**
 * Memory of another client of this process, which our monitor sees until this is closed; or longer,
 * while a queue has not done what it began. Under the locks of {@link EvictionPool} and of its
 * open.
 */
final class ForeignMemory implements AutoCloseable {
  private final EvictionPool.Own own;
  private final CopyQueue queue;
  private final int object;
  private final long bytes;
  private final GpuVa alias;

  private ForeignMemory(
      EvictionPool.Own own, CopyQueue queue, int object, long bytes, GpuVa alias) {
    this.own = own;
    this.queue = queue;
    this.object = object;
    this.bytes = bytes;
    this.alias = alias;
  }

  /**
   * @param queue which works on it
   */
  static ForeignMemory of(
      EvictionPool.Own own, CopyQueue queue, int client, int handle, long bytes) {
    int object = own.client().dup(client, handle);
    boolean complete = false;
    try {
      GpuVa alias = own.monitor().alias(object, bytes, NvidiaMemory.Video.HUGE_PAGE_BYTES);
      complete = true;
      return new ForeignMemory(own, queue, object, bytes, alias);
    } finally {
      if (!complete) {
        own.open().free(object);
      }
    }
  }

  /** Where the monitor has it. */
  GpuVa alias() {
    return alias;
  }

  @Override
  public void close() {
    if (queue.isIdle()) {
      free();
    } else {
      own.late().add(this);
    }
  }

  /** The queue has done what it began. */
  void free() {
    own.monitor().removeAlias(object, bytes, alias);
    own.open().free(object);
  }
}
