package io.sluice.testbed.machine;

import static org.awaitility.Awaitility.await;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A host of its own with a daemon, which can be held in a phase, a link to it, and at most one
 * machine. Both can be killed and started anew.
 */
final class MachineHost implements AutoCloseable {
  static final String GUEST = "web";
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int PORT = 7443;
  private static final Duration LINK_DELAY = Duration.ofMillis(1);

  private final MachineEnvironment environment;
  private final Path image;
  private final TestHost host;
  private final DelayedLink link;
  private final String configuration;
  private @Nullable DaemonProcess daemon;
  private @Nullable PhaseStop stop;
  private @Nullable MachineGuest machine;

  private MachineHost(
      MachineEnvironment environment, Path image, TestHost host, DelayedLink link, Path files) {
    this.environment = environment;
    this.image = image;
    this.host = host;
    this.link = link;
    configuration = HostCertificates.configuration(files, host.address() + ":" + PORT);
  }

  /**
   * Makes one; its daemon does not run yet.
   *
   * @param number tells hosts apart
   * @param own where each host has its own directory
   */
  static MachineHost create(
      MachineEnvironment environment,
      Path image,
      HostCertificates certificates,
      Path own,
      int number)
      throws IOException, InterruptedException {
    TestHost host = TestHost.create(own, number);
    DelayedLink link =
        new DelayedLink(host.gateway(), new InetSocketAddress(host.address(), PORT), LINK_DELAY);
    certificates.issue("host" + number, host.gateway(), host.seen(own));
    return new MachineHost(environment, image, host, link, own);
  }

  /** Starts the daemon unless it runs. */
  void ensure() throws IOException, InterruptedException {
    if (daemon == null) {
      DaemonProcess started =
          DaemonProcess.start(
              host, List.of(GUEST), configuration, List.of(PhaseStop.jvmOption(host.address())));
      daemon = started;
      stop = PhaseStop.attach(started, host.address());
    }
  }

  TestHost host() {
    return host;
  }

  DelayedLink link() {
    return link;
  }

  /** Where machines are sent to. */
  String address() {
    return host.gateway() + ":" + link.port();
  }

  boolean isAlive() {
    return daemon != null;
  }

  DaemonProcess daemon() {
    DaemonProcess running = daemon;
    if (running == null) {
      throw new IllegalStateException("it was killed");
    }
    return running;
  }

  PhaseStop stop() {
    PhaseStop attached = stop;
    if (attached == null) {
      throw new IllegalStateException("it was killed");
    }
    return attached;
  }

  MigrationsMXBean migrations() {
    return daemon().connection().migrations();
  }

  /** Its side of the last migration. */
  MigrationStatusView view() {
    MigrationStatusView view = migrations().getMigrations().get(GUEST);
    if (view == null) {
      throw new AssertionError("no migration");
    }
    return view;
  }

  /** As a crash would. */
  void killDaemon() throws IOException, InterruptedException {
    DaemonProcess running = daemon();
    PhaseStop attached = stop();
    daemon = null;
    stop = null;
    running.kill();
    attached.close();
    running.close();
  }

  MachineGuest machine() {
    MachineGuest running = machine;
    if (running == null) {
      throw new IllegalStateException("no machine");
    }
    return running;
  }

  boolean hasMachine() {
    return machine != null;
  }

  /** Starts a machine that runs a command. */
  void boot(String run, List<String> arguments, List<String> qemuArguments) throws IOException {
    Path inside = host.directory();
    List<String> all = new ArrayList<>(arguments);
    all.add("--");
    all.addAll(qemuArguments);
    machine =
        MachineGuest.start(
            environment,
            host,
            new MachineGuest.Setup(
                image,
                List.of(inside.resolve(GUEST + ".sock")),
                run,
                Optional.of(inside.resolve(GUEST + ".qmp")),
                all),
            _ -> {});
  }

  /** Starts a machine that waits for another. */
  void bootIncoming(String run, List<String> arguments) throws IOException {
    boot(run, arguments, List.of("-S", "-incoming", "defer"));
    Path qmp = host.seen(host.directory().resolve(GUEST + ".qmp"));
    await()
        .atMost(PATIENCE)
        .until(() ->
            daemon().connection().guest(GUEST).getState().equals("running") && Files.exists(qmp));
  }

  /** Whatever of QEMU is left. */
  void dropMachine() throws InterruptedException {
    if (machine != null) {
      machine.kill();
      machine.close();
      machine = null;
    }
  }

  /** Sockets that only a migration needs. */
  List<String> leftSockets() throws IOException {
    try (Stream<Path> files = Files.list(host.seen(host.directory()))) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.endsWith(".qmp.in") || name.endsWith(".qmp.out"))
          .toList();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    dropMachine();
    if (daemon != null) {
      stop().close();
      daemon().close();
      daemon = null;
    }
    link.close();
    host.close();
  }
}
