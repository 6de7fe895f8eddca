package io.sluice.testbed.machine.move;

import static java.util.stream.Collectors.joining;
import static org.awaitility.Awaitility.await;

import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.TestHost;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A host of its own with a daemon, a link to it, and at most one machine, which can be killed and
 * started anew as the daemon can.
 */
public final class MachineHost extends HeldDaemon {
  public static final String GUEST = "web";

  private static final int PORT = 7443;

  /** A link between daemons stays for some seconds. */
  private static final Duration LINGER = Duration.ofSeconds(7);

  private static final Duration LINK_DELAY = Duration.ofMillis(1);

  private final MachineEnvironment environment;
  private final Path image;
  private final TestHost host;
  private final DelayedLink link;
  private final String configuration;
  private final boolean openCl;
  private final String sessions; // lines of that section
  private @Nullable MachineGuest machine;
  private Progress progress = new Progress();

  private MachineHost(
      MachineEnvironment environment,
      Path image,
      TestHost host,
      DelayedLink link,
      Path files,
      boolean openCl,
      String accepted) {
    super(GUEST, host.address(), LINGER);
    this.environment = environment;
    this.image = image;
    this.host = host;
    this.link = link;
    this.openCl = openCl;
    sessions = accepted.isEmpty() ? "" : "accept-from = \"" + accepted + "\"\n";
    configuration = HostCertificates.configuration(files, host.address() + ":" + PORT);
  }

  /**
   * Makes one; its daemon does not run yet.
   *
   * @param number tells hosts apart
   * @param own where each host has its own directory
   */
  public static MachineHost create(
      MachineEnvironment environment,
      Path image,
      HostCertificates certificates,
      Path own,
      int number)
      throws IOException, InterruptedException {
    return create(environment, image, certificates, own, number, false);
  }

  /**
   * As above.
   *
   * @param openCl whether the guest has OpenCL
   * @param accepted numbers of hosts whose sessions it takes
   */
  public static MachineHost create(
      MachineEnvironment environment,
      Path image,
      HostCertificates certificates,
      Path own,
      int number,
      boolean openCl,
      int... accepted)
      throws IOException, InterruptedException {
    TestHost host = TestHost.create(own, number);
    DelayedLink link =
        new DelayedLink(host.gateway(), new InetSocketAddress(host.address(), PORT), LINK_DELAY);
    certificates.issue("host" + number, host.gateway(), host.seen(own));
    String names = Arrays.stream(accepted).mapToObj(each -> "host" + each).collect(joining(", "));
    return new MachineHost(environment, image, host, link, own, openCl, names);
  }

  @Override
  public DaemonProcess start(String jvmOption) throws IOException, InterruptedException {
    return openCl
        ? DaemonProcess.startWithOpenCl(
            host, List.of(GUEST), configuration, sessions, List.of(jvmOption))
        : DaemonProcess.start(host, List.of(GUEST), configuration, List.of(jvmOption));
  }

  public TestHost host() {
    return host;
  }

  public DelayedLink link() {
    return link;
  }

  /** Where machines are sent to. */
  public String address() {
    return host.gateway() + ":" + link.port();
  }

  public MachineGuest machine() {
    MachineGuest running = machine;
    if (running == null) {
      throw new IllegalStateException("no machine");
    }
    return running;
  }

  public boolean hasMachine() {
    return machine != null;
  }

  /** Starts a machine that runs a command. */
  public void boot(String run, List<String> arguments, List<String> qemuArguments)
      throws IOException {
    Path inside = host.directory();
    List<String> all = new ArrayList<>(arguments);
    all.add("--");
    all.addAll(qemuArguments);
    Progress observed = new Progress();
    progress = observed;
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
            observed);
  }

  /** Of the program in its machine. */
  public Progress progress() {
    return progress;
  }

  /** Starts a machine that waits for another. */
  public void bootIncoming(String run, List<String> arguments) throws IOException {
    boot(run, arguments, List.of("-S", "-incoming", "defer"));
    awaitAttached();
  }

  /** Starts a machine whose processors stand still, and that waits for nobody. */
  public void bootStopped(String run, List<String> arguments) throws IOException {
    boot(run, arguments, List.of("-S"));
    awaitAttached();
  }

  private void awaitAttached() {
    await()
        .atMost(PATIENCE)
        .until(() ->
            !daemon().connection().guest(GUEST).getState().equals("waiting")
                && Files.exists(monitor()));
  }

  /** The QMP socket of its machine, as we see it. */
  public Path monitor() {
    return host.seen(host.directory().resolve(GUEST + ".qmp"));
  }

  /** Whatever of QEMU is left. */
  public void dropMachine() throws InterruptedException {
    if (machine != null) {
      machine.kill();
      machine.close();
      machine = null;
    }
  }

  /** Sockets that only a migration needs. */
  public List<String> leftSockets() throws IOException {
    try (Stream<Path> files = Files.list(host.seen(host.directory()))) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.contains(".qmp.in") || name.contains(".qmp.out"))
          .toList();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    dropMachine();
    super.close();
    link.close();
    host.close();
  }
}
