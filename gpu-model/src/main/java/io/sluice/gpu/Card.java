package io.sluice.gpu;

import io.sluice.abi.signal.GuestSignals;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.ThreadMeter;
import io.sluice.gpu.fifo.Runlist;
import io.sluice.gpu.launch.Multiprocessors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The card that all opens share: its lock, its tables, and what runs its work. */
final class Card {
  private final CardLock lock = new CardLock();
  private final Kernel kernel;
  private final GpuConfig config;
  private final LongSupplier clock;
  private final ThreadMeter meter;
  private final GuestSignals signals;
  private final IdleStrategy idle;
  private final Multiprocessors launcher;
  private final int computeThreads;
  private final Runlist runlist;
  private final List<GpuFile> files = new ArrayList<>();
  private final IdPool cids = new IdPool(1, Runlist.MAX_CHANNELS);
  private final IdPool vids = new IdPool(1, GpuFile.MAX_VSPACES);
  private long vramUsedBytes;

  /**
   * @param compute runs grids; it may be shared with others
   * @param computeThreads threads it has
   */
  Card(
      Kernel kernel,
      GpuConfig config,
      GpuClocks clocks,
      IdleStrategy idle,
      Executor compute,
      int computeThreads) {
    this.kernel = kernel;
    this.config = config;
    this.clock = clocks.time();
    this.meter = new ThreadMeter(clocks.processor(), clocks.use());
    this.signals = new GuestSignals(kernel, clock);
    this.idle = idle;
    this.computeThreads = computeThreads;
    this.runlist = new Runlist(clock, config.spinNs(), idle::working);
    this.launcher =
        new Multiprocessors(
            compute, computeThreads, config.gridHeapBytes(), clock, meter, this::gridEnded);
  }

  Kernel kernel() {
    return kernel;
  }

  GpuConfig config() {
    return config;
  }

  LongSupplier clock() {
    return clock;
  }

  /** Of the thread that asks. */
  ThreadMeter meter() {
    return meter;
  }

  /** Of which each open has its own, for its channels' interrupts. */
  GuestSignals signals() {
    return signals;
  }

  GridLauncher launcher() {
    return launcher;
  }

  /** What runs grids, as whoever gives it threads sees it. */
  Multiprocessors multiprocessors() {
    return launcher;
  }

  /** Threads that run grids. */
  int computeThreads() {
    return computeThreads;
  }

  CardLock lock() {
    return lock;
  }

  void wake() {
    idle.wake();
  }

  /** Called by the threads of grids. */
  private void gridEnded() {
    runlist.gridEnded();
    idle.wake();
  }

  // ---- under the lock ----

  Runlist runlist() {
    return runlist;
  }

  IdPool cids() {
    return cids;
  }

  IdPool vids() {
    return vids;
  }

  long vramUsedBytes() {
    return vramUsedBytes;
  }

  /** Accounts video memory; false when the card has no more. */
  boolean chargeVram(long bytes) {
    if (bytes > config.vramBytes() - vramUsedBytes) {
      return false;
    }
    vramUsedBytes += bytes;
    return true;
  }

  void refundVram(long bytes) {
    vramUsedBytes -= bytes;
  }

  /** A new open. */
  void add(GpuFile file) {
    lock.lock();
    try {
      files.add(file);
    } finally {
      lock.unlock();
    }
  }

  void forget(GpuFile file) {
    files.remove(file);
  }

  /** Looks for memory that was touched without having been allocated. */
  void sweep() {
    for (int i = 0; i < files.size(); i++) {
      files.get(i).sweep();
    }
  }

  /** Closes whatever is still open. The engine must not be run any more. */
  void close() {
    List<GpuFile> open;
    lock.lock();
    try {
      open = List.copyOf(files);
    } finally {
      lock.unlock();
    }
    open.forEach(GpuFile::close);
  }
}
