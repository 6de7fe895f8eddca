package io.sluice.gpu;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.fifo.Runlist;
import io.sluice.gpu.launch.Multiprocessors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A GTX 480 in software, behind the same bytes that pscnv speaks on {@code /dev/dri/cardN}.
 *
 * <p><b>Threads.</b> Any thread may open the card, issue ioctls and close; one thread runs {@link
 * #engine}. One fair lock guards the whole card. An ioctl holds it for its length; the engine takes
 * it for each duty cycle and gives it up after the slice that is being executed (well under a
 * millisecond) when somebody waits. So whatever an ioctl changes, the engine is at no byte of it: a
 * buffer unmapped, a region deleted or a channel killed is out of use when the ioctl returns.
 */
public final class SoftwareGpu implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SoftwareGpu.class);
  private static final long SWEEP_INTERVAL_NS = 1_000_000_000L;

  private final CardLock lock = new CardLock();
  private final Kernel kernel;
  private final GpuConfig config;
  private final LongSupplier clock;
  private final IdleStrategy idle;
  private final Engine engine;
  private final GridLauncher launcher;
  private final int computeThreads;

  // Guarded by lock.
  private final Runlist runlist;
  private final List<GpuFile> files = new ArrayList<>();
  private final IdPool cids;
  private final IdPool vids;
  private long vramUsedBytes;

  /**
   * @param kernel the operating system
   * @param config what the GPU is made like
   * @param clock GPU time in nanoseconds, monotonic; also what {@link GpuEngine#doWork} is given
   * @param idle how the engine's thread waits, and is woken
   */
  public SoftwareGpu(Kernel kernel, GpuConfig config, LongSupplier clock, IdleStrategy idle) {
    this(kernel, config, clock, idle, Runnable::run, 1);
  }

  /**
   * A GPU whose grids run on threads of their own.
   *
   * @param kernel the operating system
   * @param config what the GPU is made like
   * @param clock GPU time in nanoseconds, monotonic; also what {@link GpuEngine#doWork} is given
   * @param idle how the engine's thread waits, and is woken
   * @param compute runs grids; it may be shared with others
   * @param computeThreads threads it has
   */
  public SoftwareGpu(
      Kernel kernel,
      GpuConfig config,
      LongSupplier clock,
      IdleStrategy idle,
      Executor compute,
      int computeThreads) {
    this.kernel = kernel;
    this.config = config;
    this.clock = clock;
    this.idle = idle;
    this.launcher = new Multiprocessors(compute, computeThreads, clock, idle::wake);
    this.computeThreads = computeThreads;
    this.runlist = new Runlist(clock, config.spinNs());
    this.cids = new IdPool(1, Runlist.MAX_CHANNELS);
    this.vids = new IdPool(1, GpuFile.MAX_VSPACES);
    this.engine = new Engine(clock.getAsLong());
  }

  /**
   * Opens the card: one open for each guest.
   *
   * @throws io.sluice.abi.sys.SyscallException when the host has no memory or descriptors left
   */
  public DrmDevice open() {
    return open(new TimeShare());
  }

  /**
   * The same for a guest, whose compiled programs outlive the open: one that comes again, restarted
   * or moved back, finds them.
   *
   * @param guest its name
   */
  public DrmDevice openFor(String guest) {
    return open(new TimeShare(Optional.of(guest)));
  }

  private DrmDevice open(TimeShare share) {
    GpuFile file = new GpuFile(this, share);
    lock.lock();
    try {
      files.add(file);
    } finally {
      lock.unlock();
    }
    return file;
  }

  /** The GPU's own thread. */
  public GpuEngine engine() {
    return engine;
  }

  /** Closes whatever is still open. The engine must not be run any more. */
  @Override
  public void close() {
    List<GpuFile> open;
    lock.lock();
    try {
      open = List.copyOf(files);
    } finally {
      lock.unlock();
    }
    open.forEach(GpuFile::close);
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

  GridLauncher launcher() {
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

  void forget(GpuFile file) {
    files.remove(file);
  }

  private final class Engine implements GpuEngine {
    private final BooleanSupplier isWanted = lock::isWanted;
    private long nextSweepNs;
    private long idleNs;

    Engine(long nowNs) {
      nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
    }

    @Override
    public int doWork(long nowNs) {
      lock.lock();
      try {
        if (nowNs - nextSweepNs >= 0) {
          nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
          sweep();
        }
        int worked = runlist.round(nowNs, isWanted);
        idleNs = Math.min(runlist.nextLookInNs(), Math.max(0, nextSweepNs - nowNs));
        return worked;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long idleNs() {
      return idleNs;
    }

    private void sweep() {
      for (int i = 0; i < files.size(); i++) {
        GpuFile file = files.get(i);
        long bytes = file.sweep();
        if (bytes > 0) {
          LOG.atWarn()
              .addKeyValue("bytes", bytes)
              .addKeyValue("times", file.offences())
              .log("a guest touched memory it had not allocated; the memory was taken back");
        }
      }
    }
  }
}
