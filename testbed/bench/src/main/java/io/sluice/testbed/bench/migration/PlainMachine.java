package io.sluice.testbed.bench.migration;

import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.TestHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The machine of {@link MovedMachine} without a GPU, which QEMUs move by themselves, between the
 * same hosts over the same link: what a machine's move takes before Sluice has any part in it.
 */
final class PlainMachine implements AutoCloseable {
  private static final int PORT = 7444;
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final BoundedWait MONITOR = new BoundedWait(PATIENCE, Duration.ofMillis(20));

  /** Part of what is measured: the machine works undisturbed for so long before it moves. */
  private static final Duration REST = Duration.ofMillis(1500);

  private final MachineEnvironment environment;
  private Side here;
  private Side there;

  private final class Side implements AutoCloseable {
    final TestHost host;
    final DelayedLink link;
    final Path qmp;
    @Nullable MachineGuest guest;
    @Nullable QemuMachine monitor;

    Side(Path own, int number) throws IOException, InterruptedException {
      host = TestHost.create(own, number);
      host.limit(MovedMachine.LINK_BYTES_PER_SECOND);
      link =
          new DelayedLink(
              host.gateway(), new InetSocketAddress(host.address(), PORT), Duration.ofMillis(1));
      qmp = own.resolve("plain.qmp");
    }

    MachineGuest boot(List<String> arguments) throws IOException, InterruptedException {
      MachineGuest started =
          MachineGuest.start(
              environment,
              host,
              new MachineGuest.Setup(
                  environment.image(), List.of(), MovedMachine.RUN, Optional.of(qmp), arguments),
              _ -> {});
      guest = started;
      Path seen = host.seen(qmp);
      MONITOR.until("QEMU's monitor, console=" + started.console(), () -> Files.exists(seen));
      monitor = QemuMachine.connect(seen, Thread.ofPlatform().daemon().factory(), ANSWER);
      return started;
    }

    QemuMachine monitor() {
      QemuMachine connected = monitor;
      if (connected == null) {
        throw new IllegalStateException("no machine");
      }
      return connected;
    }

    void drop() throws IOException, InterruptedException {
      if (guest != null) {
        guest.kill();
        guest.close();
        guest = null;
      }
      if (monitor != null) {
        monitor.close();
        monitor = null;
      }
      Files.deleteIfExists(host.seen(qmp));
    }

    @Override
    public void close() throws IOException, InterruptedException {
      drop();
      link.close();
      host.close();
    }
  }

  /** Boots it. */
  PlainMachine(MachineEnvironment environment, Path directory)
      throws IOException, InterruptedException {
    this.environment = environment;
    Path own = Files.createDirectory(directory.resolve("plain"));
    int number = TestHost.freeNumbers(2);
    here = new Side(own, number);
    there = new Side(own, number + 1);
    String _ = here.boot(List.of()).await("SLUICE-BOOTED", PATIENCE);
  }

  /**
   * Has QEMU move it to the other host.
   *
   * @param downtime how long QEMU may let it stand still
   * @return nanoseconds from one QEMU's word that it has stopped to the other's that it runs
   */
  long move(Duration downtime) throws IOException, InterruptedException {
    MachineGuest _ = there.boot(List.of("--", "-incoming", "defer"));
    QemuMachine from = here.monitor();
    QemuMachine to = there.monitor();
    to.migrateIncoming("tcp:" + there.host.address() + ":" + PORT);
    Thread.sleep(REST);
    long stops = from.stops();
    long resumes = to.resumes();
    AtomicLong stopped = new AtomicLong();
    from.setListener(() -> {
      if (from.stops() > stops) {
        stopped.compareAndSet(0, System.nanoTime());
      }
    });
    from.setDowntime(downtime, 0);
    from.migrate("tcp:" + there.host.gateway() + ":" + there.link.port());
    boolean runs = to.awaitResume(resumes, PATIENCE);
    long pauseNs = System.nanoTime() - stopped.get();
    if (!runs || stopped.get() == 0) {
      throw new IOException("QEMU has not moved the machine: " + from.migration());
    }
    here.drop();
    Side left = here;
    here = there;
    there = left;
    return pauseNs;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    here.close();
    there.close();
  }
}
