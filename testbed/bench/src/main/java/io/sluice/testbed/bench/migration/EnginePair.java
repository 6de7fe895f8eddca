package io.sluice.testbed.bench.migration;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.migrate.engine.AttachedHost;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.wire.LinkClient;
import io.sluice.migrate.wire.LinkServer;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.migrate.wire.WireLoops;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Two cards with a guest each, and the engine with its wire between them, all in this process; no
 * machine. The first guest has memory full of random bytes.
 */
final class EnginePair implements AutoCloseable {
  /** Of a card beside what is moved. */
  private static final long SPARE_BYTES = 64L << 20;

  private static final long IDLE_NS = 50_000;
  private static final long TIMEOUT_NS = 120_000_000_000L;
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

  private final Kernel kernel;
  private final Shape shape;
  private final Lanes lanesFrom;
  private final Lanes lanesTo;
  private final TlsFiles tls;
  private final Stage sourceTime = new Stage();
  private final Stage targetTime = new Stage();
  private final Stage sendingTime = new Stage();
  private final Stage receivingTime = new Stage();
  private final WireLoops sending;
  private final WireLoops receiving;
  private final CompletableFuture<MigrationLink> arrived = new CompletableFuture<>();
  private final LinkServer server;
  private final Card from;
  private final Card to;
  private final Mapping memory;

  /**
   * The shape of a move.
   *
   * @param bytes of video memory
   * @param streams of pages
   * @param loops event loops of each side
   * @param lanes of each side
   */
  record Shape(long bytes, int streams, int loops, int lanes) {}

  /** The result of a move. */
  record Moved(long ns, long bytesSent, long bytesAgain, int reconnects, Spent spent) {}

  /**
   * Processor time of a move, by stage: what other work on the machine does not change.
   *
   * @param source looks at the memory, copies and compares it
   * @param sending sums and encrypts
   * @param receiving decrypts and sums
   * @param target puts the memory where it belongs
   */
  record Spent(long source, long sending, long receiving, long target) {}

  /** Makes the threads of a stage and knows what they have used. */
  private static final class Stage implements ThreadFactory {
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    @Override
    public Thread newThread(Runnable work) {
      Thread made = THREADS.newThread(work);
      threads.add(made);
      return made;
    }

    long spentNs() {
      return threads.stream()
          .mapToLong(thread -> Math.max(0, CLOCKS.getThreadCpuTime(thread.threadId())))
          .sum();
    }
  }

  /** A card and its guest. */
  private static final class Card implements AutoCloseable {
    final SoftwareGpu model;
    final PscnvGpu gpu;
    final Guest guest;
    final MappedGuest mapped;

    Card(Kernel kernel, long bytes) {
      model =
          new SoftwareGpu(
              kernel, new GpuConfig(bytes, bytes, 0), System::nanoTime, IdleStrategy.none());
      gpu = new PscnvGpu("bench", kernel, model::open);
      guest = new Guest("bench", gpu, kernel, GuestListener.none());
      mapped = MappedGuest.of(guest, kernel);
    }

    @Override
    public void close() {
      mapped.close();
      guest.close();
      gpu.close();
      model.close();
    }
  }

  /**
   * @param files host.crt, host.key and authority.crt
   */
  EnginePair(Kernel kernel, Path files, Shape shape) {
    this.kernel = kernel;
    this.shape = shape;
    lanesFrom = new Lanes(shape.lanes(), sourceTime);
    lanesTo = new Lanes(shape.lanes(), targetTime);
    sending = new WireLoops(shape.loops(), sendingTime);
    receiving = new WireLoops(shape.loops(), receivingTime);
    tls =
        new TlsFiles(
            files.resolve("host.crt"), files.resolve("host.key"), files.resolve("authority.crt"));
    server =
        new LinkServer(
            receiving,
            new InetSocketAddress("127.0.0.1", 0),
            tls,
            arrived::complete,
            _ -> Optional.empty());
    from = new Card(kernel, shape.bytes() + SPARE_BYTES);
    to = new Card(kernel, shape.bytes() + SPARE_BYTES);
    MemoryGrant data = from.guest.buffers().allocate(2, 0, 0, shape.bytes());
    memory =
        kernel.mmap(
            from.guest.vramAperture().orElseThrow().fd(),
            data.apertureOffset().orElseThrow(),
            shape.bytes(),
            Kernel.PROT_READ | Kernel.PROT_WRITE);
    fill(memory.segment());
  }

  private static void fill(MemorySegment segment) {
    SplittableRandom random = new SplittableRandom(7);
    for (long at = 0; at < segment.byteSize(); at += Long.BYTES) {
      segment.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  /** Where the destination listens. */
  int port() {
    return server.port();
  }

  /**
   * Moves the guest.
   *
   * @param port to connect to
   * @param halfway done once, when about half of the bytes are under way
   */
  Moved move(int port, Runnable halfway) throws InterruptedException {
    try (LinkClient client = new LinkClient(sending, "127.0.0.1", port, tls, 0, false);
        MigrationLink link = client.link(new UUID(1, System.nanoTime()), shape.streams())) {
      AtomicLong targetNs = new AtomicLong();
      Thread target =
          THREADS.newThread(() -> {
            receive();
            targetNs.set(CLOCKS.getCurrentThreadCpuTime());
          });
      target.start();
      long lanesNs = sourceTime.spentNs();
      long storingNs = targetTime.spentNs();
      long sendingNs = sendingTime.spentNs();
      long receivingNs = receivingTime.spentNs();
      long sourceNs = CLOCKS.getCurrentThreadCpuTime();
      long start = System.nanoTime();
      MigrationSource source =
          new MigrationSource(
              new MigrationSource.MigrationParts(
                  from.mapped, new StandingMachine(new NoPause()), link, lanesFrom),
              MigrationSettings.DEFAULT.withDetach(DetachTime.LAST),
              new UUID(3, 4),
              new SplittableRandom(5),
              start,
              (_, _) -> {});
      Thread self = Thread.currentThread();
      link.setWaker(() -> LockSupport.unpark(self));
      boolean half = false;
      while (!source.phase().isOver()) {
        if (source.doWork(System.nanoTime()) == 0) {
          LockSupport.parkNanos(this, IDLE_NS);
        }
        if (!half && link.statistics().bytesSent() > shape.bytes() / 2) {
          half = true;
          halfway.run();
        }
        if (System.nanoTime() - start > TIMEOUT_NS) {
          throw new IllegalStateException("it does not end, phase=" + source.phase());
        }
      }
      long ns = System.nanoTime() - start;
      sourceNs = CLOCKS.getCurrentThreadCpuTime() - sourceNs;
      target.join();
      Spent spent =
          new Spent(
              sourceNs + sourceTime.spentNs() - lanesNs,
              sendingTime.spentNs() - sendingNs,
              receivingTime.spentNs() - receivingNs,
              targetNs.get() + targetTime.spentNs() - storingNs);
      if (source.phase() != Phase.DONE) {
        throw new IllegalStateException("not moved: " + source.reason());
      }
      check();
      MigrationLink.Statistics carried = link.statistics();
      return new Moved(
          ns, carried.bytesSent(), carried.bytesRetransmitted(), carried.reconnects(), spent);
    }
  }

  private void receive() {
    MigrationLink link = arrived.orTimeout(TIMEOUT_NS, TimeUnit.NANOSECONDS).join();
    Thread self = Thread.currentThread();
    link.setWaker(() -> LockSupport.unpark(self));
    MigrationTarget target =
        new MigrationTarget(
            link,
            new AttachedHost(to.mapped, _ -> new NoMachine()),
            lanesTo,
            TIMEOUT_NS,
            System.nanoTime(),
            (_, _) -> {});
    while (!target.phase().isOver()) {
      if (target.doWork(System.nanoTime()) == 0) {
        LockSupport.parkNanos(this, IDLE_NS);
      }
    }
  }

  private void check() {
    long offset =
        to.guest.move().buffers().stream()
            .filter(buffer -> buffer.sizeBytes() >= shape.bytes())
            .findFirst()
            .orElseThrow()
            .apertureOffset()
            .orElseThrow();
    try (Mapping arrivedBytes =
        kernel.mmap(
            to.guest.vramAperture().orElseThrow().fd(), offset, shape.bytes(), Kernel.PROT_READ)) {
      if (arrivedBytes.segment().mismatch(memory.segment()) >= 0) {
        throw new IllegalStateException("other bytes arrived");
      }
    }
  }

  @Override
  public void close() {
    memory.close();
    server.close();
    sending.close();
    receiving.close();
    lanesFrom.close();
    lanesTo.close();
    from.close();
    to.close();
  }

  /** Has arrived at once. */
  private static final class NoMachine implements TargetMachine {
    @Override
    public ByteBuffer prepare(ByteBuffer source) {
      return ByteBuffer.allocate(0);
    }

    @Override
    public MachineProgress progress() {
      return MachineProgress.of(MachineProgress.State.COMPLETED);
    }

    @Override
    public boolean restore(List<ByteBuffer> device) {
      return true;
    }

    @Override
    public void resume() {}

    @Override
    public void abort() {}

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }

  private record NoPause() implements StandingMachine.Pause {
    @Override
    public void stop() {}

    @Override
    public void resume() {}
  }
}
