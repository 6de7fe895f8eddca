package io.sluice.channel.nvidia.evict;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.memory.NvidiaMemory;

/**
 * Memory of another client of this process, which our monitor sees until this is closed. Under the
 * locks of {@link EvictionPool} and of its open.
 */
final class ForeignMemory implements AutoCloseable {
  private final EvictionPool.Own own;
  private final int object;
  private final long bytes;
  private final GpuVa alias;

  private ForeignMemory(EvictionPool.Own own, int object, long bytes, GpuVa alias) {
    this.own = own;
    this.object = object;
    this.bytes = bytes;
    this.alias = alias;
  }

  static ForeignMemory of(EvictionPool.Own own, int client, int handle, long bytes) {
    int object = own.client().dup(client, handle);
    boolean complete = false;
    try {
      GpuVa alias = own.monitor().alias(object, bytes, NvidiaMemory.Video.HUGE_PAGE_BYTES);
      complete = true;
      return new ForeignMemory(own, object, bytes, alias);
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
    own.monitor().removeAlias(object, bytes, alias);
    own.open().free(object);
  }
}
