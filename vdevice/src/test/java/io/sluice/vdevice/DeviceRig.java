package io.sluice.vdevice;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.CardSlots;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestRoom;
import io.sluice.channel.SlotLimits;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * The software GPU with its engine thread, devices of it at sockets in a directory, and a thread
 * per attached guest that delivers events: what a daemon wires, as small as it gets.
 */
final class DeviceRig implements AutoCloseable {
  static final long VRAM_BYTES = 64L << 20;

  final Kernel kernel = RealKernel.create();
  private final Path directory;
  private final Idle idle = new Idle();
  private final SoftwareGpu software;
  private final Gpu gpu;
  private final Thread engine;
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final List<GuestDevice> devices = new ArrayList<>();
  final List<Thread> threads = new ArrayList<>();

  DeviceRig(Path directory) {
    this.directory = directory;
    software =
        new SoftwareGpu(
            kernel, new GpuConfig(VRAM_BYTES, VRAM_BYTES, 100_000), System::nanoTime, idle);
    gpu = new PscnvGpu("embedded", kernel, software::open);
    engine = new Thread(this::runEngine, "engine");
    idle.thread = engine;
    engine.start();
  }

  private static final class Idle implements IdleStrategy {
    volatile Thread thread = Thread.currentThread();

    @Override
    public void idle(long ns) {
      if (ns == 0) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, ns);
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }
  }

  private void runEngine() {
    while (!stopped.get()) {
      if (software.engine().doWork(System.nanoTime()) == 0) {
        idle.idle(software.engine().idleNs());
      }
    }
  }

  /** A started device at {@code directory/name}. */
  GuestDevice device(String name) {
    GuestDevice device = make(name, this::thread);
    devices.add(device);
    device.start();
    return device;
  }

  /** A device that accepts nobody, and threads that do not begin before they may. */
  GuestDevice target(String name, CountDownLatch start) {
    GuestDevice device =
        make(
            name,
            action ->
                thread(() -> {
                  awaitStart(start);
                  action.run();
                }));
    devices.add(device);
    return device;
  }

  private GuestDevice make(String name, ThreadFactory factory) {
    MapBudget budget = new MapBudget(kernel.hostLimits(), 1L << 40);
    return new GuestDevice(
        name,
        directory.resolve(name),
        new DeviceHost(kernel, factory, System::nanoTime, budget),
        new MapLimits(1L << 36, MapLimits.MAX_MAPS),
        new Source(name));
  }

  private static void awaitStart(CountDownLatch start) {
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Thread thread(Runnable action) {
    Thread thread = new Thread(action);
    synchronized (threads) {
      threads.add(thread);
    }
    return thread;
  }

  /** Video memory that anybody holds. */
  long vramInUse() {
    try (var open = gpu.open("asking")) {
      return VRAM_BYTES - open.usage().vramFreeBytes();
    }
  }

  private final class Source implements GuestSource {
    private final String name;
    private final Map<Guest, Delivery> deliveries = new ConcurrentHashMap<>();

    Source(String name) {
      this.name = name;
    }

    @Override
    public Guest open(GuestListener listener) {
      return delivered(new Guest(name, gpu, kernel, listener));
    }

    @Override
    public Guest adopt(GuestListener listener, Gpu.AdoptedFiles files) {
      CardSlots slots = new CardSlots(SlotLimits.NONE);
      return delivered(Guest.adopting(name, gpu, files, new GuestRoom(slots), kernel, listener));
    }

    private Guest delivered(Guest guest) {
      deliveries.put(guest, new Delivery(guest));
      return guest;
    }

    @Override
    public void release(Guest guest) {
      Delivery delivery = deliveries.remove(guest);
      if (delivery != null) {
        delivery.stop();
      }
      guest.close();
    }
  }

  /** Delivers one guest's events. */
  private final class Delivery {
    private final Fd stop = kernel.eventfd(0, Kernel.NONBLOCK);
    private final Thread thread;

    Delivery(Guest guest) {
      List<Fd> fds = List.of(guest.events(), stop);
      thread =
          new Thread(
              () -> {
                short[] ready = new short[2];
                while (ready[1] == 0) {
                  kernel.poll(fds, new short[] {Kernel.POLLIN, Kernel.POLLIN}, ready, -1);
                  guest.dispatchEvents();
                }
              },
              "events");
      thread.start();
    }

    void stop() {
      kernel.signal(stop);
      join(thread);
      stop.close();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    devices.forEach(GuestDevice::close);
    List<Thread> all;
    synchronized (threads) {
      all = List.copyOf(threads);
    }
    all.forEach(DeviceRig::join);
    stopped.set(true);
    idle.wake();
    join(engine);
    gpu.close();
    software.close();
  }
}
