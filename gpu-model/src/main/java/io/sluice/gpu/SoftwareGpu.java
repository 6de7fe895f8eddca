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
 * #engine}. One fair lock guards the whole card. An ioctl holds it while it changes a table, for a
 * bounded number of steps whatever its open has made; the engine takes it for each duty cycle and
 * gives it up after the slice that is being executed (well under a millisecond) when somebody
 * waits. So whatever an ioctl changes, the engine is at no byte of it. Grids run beside the lock:
 * before an ioctl returns that took memory away, it waits until they have forgotten it. A buffer
 * unmapped, a region deleted or a channel killed is out of use when the ioctl returns.
 */
public final class SoftwareGpu implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SoftwareGpu.class);
  private static final long SWEEP_INTERVAL_NS = 1_000_000_000L;

  /** After something was thrown that no channel is known for, it may be thrown again at once. */
  private static final long PAUSE_AFTER_FAILURE_NS = 1_000_000;

  private static final long REPORT_INTERVAL_NS = 10_000_000_000L;

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
    this(kernel, config, new Clocks(clock, clock), idle, Runnable::run, 1);
  }

  /**
   * The clocks of a GPU, in nanoseconds.
   *
   * @param time GPU time, monotonic; also what {@link GpuEngine#doWork} is given
   * @param processor processor time of the thread that asks: what commands are charged with
   */
  public record Clocks(LongSupplier time, LongSupplier processor) {}

  /**
   * A GPU whose grids run on threads of their own.
   *
   * @param kernel the operating system
   * @param config what the GPU is made like
   * @param clock GPU time, for that of processors too
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
    this(kernel, config, new Clocks(clock, clock), idle, compute, computeThreads);
  }

  /**
   * A GPU whose grids run on threads of their own, and whose commands are charged with the time
   * they had a processor.
   *
   * @param kernel the operating system
   * @param config what the GPU is made like
   * @param clocks its clocks
   * @param idle how the engine's thread waits, and is woken
   * @param compute runs grids; it may be shared with others
   * @param computeThreads threads it has
   */
  public SoftwareGpu(
      Kernel kernel,
      GpuConfig config,
      Clocks clocks,
      IdleStrategy idle,
      Executor compute,
      int computeThreads) {
    this.kernel = kernel;
    this.config = config;
    this.clock = clocks.time();
    this.idle = idle;
    this.computeThreads = computeThreads;
    this.runlist = new Runlist(clock, clocks.processor(), config.spinNs());
    this.launcher =
        new Multiprocessors(compute, computeThreads, clock, clocks.processor(), this::gridEnded);
    this.cids = new IdPool(1, Runlist.MAX_CHANNELS);
    this.vids = new IdPool(1, GpuFile.MAX_VSPACES);
    this.engine = new Engine(clock.getAsLong());
  }

  /**
   * Opens the card: one open for each guest.
   *
   * @throws io.sluice.abi.SyscallException when the host has no memory or descriptors left
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

  void forget(GpuFile file) {
    files.remove(file);
  }

  private final class Engine implements GpuEngine {
    private final BooleanSupplier isWanted = lock::isWanted;
    private long nextSweepNs;
    private long idleNs;
    private long nextReportNs;
    private long failures;

    Engine(long nowNs) {
      nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
      nextReportNs = nowNs;
    }

    @Override
    public int doWork(long nowNs) {
      lock.lock();
      try {
        return work(nowNs);
      } catch (RuntimeException | Error thrown) {
        goOn(nowNs, thrown);
        return 0;
      } finally {
        lock.unlock();
      }
    }

    private int work(long nowNs) {
      if (nowNs - nextSweepNs >= 0) {
        nextSweepNs = nowNs + SWEEP_INTERVAL_NS;
        sweep();
      }
      int worked = runlist.round(nowNs, isWanted);
      idleNs = Math.min(runlist.nextLookInNs(), Math.max(0, nextSweepNs - nowNs));
      return worked;
    }

    /**
     * The GPU survives whatever is thrown: memory that a guest took away under its mapping, a host
     * without memory, a mistake of ours.
     */
    private void goOn(long nowNs, Throwable thrown) {
      idleNs = PAUSE_AFTER_FAILURE_NS;
      boolean known = false;
      try {
        known = runlist.recover();
      } catch (RuntimeException | Error again) {
        thrown.addSuppressed(again);
      }
      failures++;
      if (nowNs - nextReportNs < 0) {
        return;
      }
      nextReportNs = nowNs + REPORT_INTERVAL_NS;
      LOG.atError()
          .setCause(thrown)
          .addKeyValue("channelEnded", known)
          .addKeyValue("times", failures)
          .log("the engine failed and goes on; said once in ten seconds at most");
    }

    @Override
    public long idleNs() {
      return idleNs;
    }

    private void sweep() {
      for (int i = 0; i < files.size(); i++) {
        files.get(i).sweep();
      }
    }
  }
}
