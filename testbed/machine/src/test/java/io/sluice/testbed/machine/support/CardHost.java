package io.sluice.testbed.machine.support;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.interrupt.InterruptForwarder;
import io.sluice.vdevice.DeviceHost;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.session.ApiSessions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A software GPU in this process, and one guest's device over it. */
public final class CardHost implements GuestSource, AutoCloseable {
  public static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  private final Kernel kernel;
  private final Optional<ApiSessions> sessions;
  private final SoftwareGpu card;
  private final PscnvGpu gpu;
  private final Thread engine;
  private final GuestDevice device;
  private volatile boolean stopped;
  private @Nullable InterruptForwarder forwarder;

  public CardHost(Kernel kernel, String name, Path socket) {
    this(kernel, name, socket, Optional.empty());
  }

  /**
   * The same.
   *
   * @param sessions of the guest's programs
   */
  public CardHost(Kernel kernel, String name, Path socket, Optional<ApiSessions> sessions) {
    this.kernel = kernel;
    this.sessions = sessions;
    Parking idle = new Parking();
    card = new SoftwareGpu(kernel, GpuConfig.gtx480(), System::nanoTime, idle);
    engine = Thread.ofPlatform().daemon().name("gpu-" + name).start(() -> work(idle));
    gpu = new PscnvGpu(name, kernel, card::open);
    DeviceHost host =
        new DeviceHost(
            kernel, THREADS, System::nanoTime, new MapBudget(kernel.hostLimits(), 1L << 40));
    MapLimits most = new MapLimits(1L << 36, MapLimits.MAX_MAPS);
    device = new GuestDevice(name, socket, host, most, this);
    device.start();
  }

  public GuestDevice device() {
    return device;
  }

  @Override
  public Guest open(GuestListener listener) {
    Guest guest = new Guest("guest", gpu, kernel, listener);
    InterruptForwarder started = new InterruptForwarder(kernel, System::nanoTime, 0, (_, _) -> {});
    started.add(guest);
    THREADS.newThread(started).start();
    forwarder = started;
    return guest;
  }

  @Override
  public Optional<ApiSessions> sessions() {
    return sessions;
  }

  @Override
  public void release(Guest guest) {
    if (forwarder != null) {
      forwarder.close();
    }
    guest.close();
  }

  private void work(IdleStrategy idle) {
    while (!stopped) {
      if (card.engine().doWork(System.nanoTime()) == 0) {
        idle.idle(card.engine().idleNs());
      }
    }
  }

  private final class Parking implements IdleStrategy {
    @Override
    public void idle(long ns) {
      if (ns <= 0) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, ns);
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(engine);
    }
  }

  @Override
  public void close() throws InterruptedException {
    device.close();
    stopped = true;
    engine.join();
    gpu.close();
    card.close();
  }
}
