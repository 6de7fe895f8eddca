package io.sluice.testbed.bench.migration;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** New shared memory that threads fill, each its own pieces: what a destination does at the end. */
final class StorePeers {
  private static final long PIECE_BYTES = 256 << 10;

  private final Kernel kernel;
  private final long bytes;

  StorePeers(Kernel kernel, long bytes) {
    this.kernel = kernel;
    this.bytes = bytes;
  }

  private interface Store {
    void piece(Fd file, MemorySegment mapped, MemorySegment from, long at);
  }

  /** GB/s of writes. */
  double written(int threads) throws Exception {
    return filled(threads, (file, _, from, at) -> kernel.pwrite(file, from, at));
  }

  /** GB/s of stores through a mapping. */
  double stored(int threads) throws Exception {
    return filled(
        threads, (_, mapped, from, at) -> MemorySegment.copy(from, 0, mapped, at, from.byteSize()));
  }

  private double filled(int threads, Store store) throws Exception {
    try (Fd file = kernel.memfdCreate("sluice-bench", bytes);
        Mapping mapping = kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
        Arena arena = Arena.ofShared()) {
      List<FutureTask<Boolean>> tasks = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < threads; i++) {
        long first = i * PIECE_BYTES;
        MemorySegment from = arena.allocate(PIECE_BYTES).fill((byte) 7);
        FutureTask<Boolean> task =
            new FutureTask<>(() -> {
              for (long at = first; at < bytes; at += threads * PIECE_BYTES) {
                store.piece(file, mapping.segment(), from, at);
              }
              return true;
            });
        Thread _ = Thread.ofPlatform().daemon().start(task);
        tasks.add(task);
      }
      for (FutureTask<Boolean> task : tasks) {
        boolean _ = task.get();
      }
      return (double) bytes / (System.nanoTime() - start);
    }
  }
}
