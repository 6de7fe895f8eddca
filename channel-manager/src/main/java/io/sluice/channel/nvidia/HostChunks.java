package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.channel.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Host memory for what a guest's video memory does not hold, in chunks that the GPU knows. Making
 * such memory takes twenty times as long as copying to it: pages are given and pinned one by one.
 * So chunks that are given back are kept for this guest, up to {@link #KEPT_BYTES}. Guarded by the
 * open's lock.
 */
final class HostChunks {
  static final long CHUNK_BYTES = 32L << 20;

  /** Kept for the next time at most. */
  static final long KEPT_BYTES = 1L << 30;

  /** From here on several processors fill the pages. */
  private static final long PARALLEL_BYTES = 8L << 20;

  private final NvidiaGuestGpu gpu;
  private final Map<Long, Deque<Chunk>> kept = new HashMap<>(); // by size
  private long keptBytes;

  HostChunks(NvidiaGuestGpu gpu) {
    this.gpu = gpu;
  }

  /**
   * A piece of host memory.
   *
   * @param pages the memory
   * @param object RM's handle of it
   * @param alias its address in the monitor's space
   */
  record Chunk(SharedPages pages, int object, GpuVa alias) {
    long bytes() {
      return pages.all().byteSize();
    }
  }

  /**
   * Chunks of so many bytes together, all of {@link #CHUNK_BYTES} but the last.
   *
   * @param zeros whether they must hold zeros; otherwise something of this guest's
   */
  List<Chunk> take(long bytes, boolean zeros) {
    List<Chunk> taken = new ArrayList<>();
    boolean complete = false;
    try {
      for (long at = 0; at < bytes; at += CHUNK_BYTES) {
        taken.add(takeOne(Math.min(CHUNK_BYTES, bytes - at), zeros));
      }
      complete = true;
      return taken;
    } finally {
      if (!complete) {
        giveBack(taken);
      }
    }
  }

  private Chunk takeOne(long bytes, boolean zeros) {
    Deque<Chunk> same = kept.get(bytes);
    Chunk chunk = same == null ? null : same.poll();
    if (chunk == null) {
      return make(bytes);
    }
    keptBytes -= bytes;
    if (zeros) {
      chunk.pages().all().fill((byte) 0);
    }
    return chunk;
  }

  private Chunk make(long bytes) {
    SharedPages pages = SharedPages.create(gpu.kernel(), "sluice-evicted", bytes);
    int object = 0;
    boolean complete = false;
    try {
      touch(pages.all());
      object = gpu.client().registerMemory(pages.all());
      GpuVa alias = gpu.monitor().alias(object, bytes, Limits.PAGE_BYTES);
      complete = true;
      return new Chunk(pages, object, alias);
    } finally {
      if (!complete) {
        if (object != 0) {
          gpu.client().free(gpu.client().device(), object);
        }
        pages.close();
      }
    }
  }

  /** Has the kernel give the pages, which RM would have it do one after the other. */
  private static void touch(MemorySegment memory) {
    if (memory.byteSize() >= PARALLEL_BYTES) {
      LongStream.range(0, memory.byteSize() / Limits.PAGE_BYTES)
          .parallel()
          .forEach(page -> memory.set(ValueLayout.JAVA_BYTE, page * Limits.PAGE_BYTES, (byte) 0));
    }
  }

  /** Nothing maps them any more but the monitor. */
  void giveBack(List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      if (keptBytes + chunk.bytes() <= KEPT_BYTES) {
        keptBytes += chunk.bytes();
        kept.computeIfAbsent(chunk.bytes(), _ -> new ArrayDeque<>()).push(chunk);
      } else {
        release(chunk);
      }
    }
  }

  private void release(Chunk chunk) {
    gpu.monitor().removeAlias(chunk.object(), chunk.bytes(), chunk.alias());
    gpu.client().free(gpu.client().device(), chunk.object());
    chunk.pages().close();
  }

  /** Lets go of what is kept. */
  void close() {
    kept.values().forEach(same -> same.forEach(this::release));
    kept.clear();
    keptBytes = 0;
  }
}
