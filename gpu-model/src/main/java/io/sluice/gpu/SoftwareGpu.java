package io.sluice.gpu;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.engine.TimeShare;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A GTX 480 in software, behind the same bytes that pscnv speaks on {@code /dev/dri/cardN}.
 *
 * <p><b>Threads.</b> Any thread may open the card, issue ioctls and close; one thread runs {@link
 * #engine}, and another one takes its place when it is held up. One fair lock guards the tables of
 * the whole card. An ioctl holds it while it changes one, for a bounded number of steps whatever
 * its open has made; the engine holds it while it looks whose turn it is, and not while it
 * executes: then it is inside the gate of the open whose channel it is. An ioctl of the same open
 * waits until it has come out, after the slice that is being executed (4 MiB copied, or 0.4 ms of
 * dearer work, and what one piece of a copy takes). So whatever an ioctl changes, the engine is at
 * no byte of it, and no guest's memory is touched with a lock that another guest's ioctl or engine
 * needs. Grids run beside the lock: before an ioctl returns that took memory away, it waits until
 * they have forgotten it. A buffer unmapped, a region deleted or a channel killed is out of use
 * when the ioctl returns.
 */
public final class SoftwareGpu implements AutoCloseable {
  private final Card card;
  private final CardEngine engine;

  /**
   * @param kernel the operating system
   * @param config what the GPU is made like
   * @param clock GPU time in nanoseconds, monotonic; also what {@link GpuEngine#doWork} is given
   * @param idle how the engine's thread waits, and is woken
   */
  public SoftwareGpu(Kernel kernel, GpuConfig config, LongSupplier clock, IdleStrategy idle) {
    this(kernel, config, new GpuClocks(clock, clock), idle, Runnable::run, 1);
  }

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
    this(kernel, config, new GpuClocks(clock, clock), idle, compute, computeThreads);
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
      GpuClocks clocks,
      IdleStrategy idle,
      Executor compute,
      int computeThreads) {
    this.card = new Card(kernel, config, clocks, idle, compute, computeThreads);
    this.engine = new CardEngine(card);
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
    GpuFile file = new GpuFile(card, share);
    card.add(file);
    return new OpenCard(file);
  }

  Card card() {
    return card;
  }

  /** The GPU's own thread. */
  public GpuEngine engine() {
    return engine;
  }

  /** Closes whatever is still open. The engine must not be run any more. */
  @Override
  public void close() {
    card.close();
  }
}
