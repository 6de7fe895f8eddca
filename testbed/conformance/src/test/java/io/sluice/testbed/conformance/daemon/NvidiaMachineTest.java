package io.sluice.testbed.conformance.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine whose device is channels of an NVIDIA GPU: QEMU with our module, in it the program
 * {@code hopper}, which copies and launches kernels.
 */
final class NvidiaMachineTest {
  private static final String GUEST = "machine";
  private static final String LOCAL = "127.0.0.1";

  /** Emulated processors, beside whatever else the host does. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final BoundedWait ATTACHING = new BoundedWait(PATIENCE, Duration.ofMillis(100));

  private static final int MOVES = 3;

  /** The pace of the moves: between two of them the machine submits. */
  private static final long WORKS_MS = 1000;

  /** Submits until a line is typed, and then tells whether all ran once. */
  private static final String BUSY =
      "hopper --until /tmp/end & p=$!; read x; touch /tmp/end; wait $p; s=$?; echo;"
          + " echo hopper-status $s; exit $s";

  @TempDir private Path directory;

  private static MachineEnvironment environment() {
    NvidiaRig.open().close();
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(
        found.isPresent(), "no machine here: bundle/test --machine DIRECTORY, or ./sluice test");
    return found.orElseThrow();
  }

  /** A daemon, and what can be attached to it. */
  private final class Host implements AutoCloseable {
    private final MachineEnvironment environment;
    private final Path files;
    private final int port;
    final Daemon daemon;

    Host(MachineEnvironment environment, HostCertificates certificates, String name)
        throws Exception {
      this.environment = environment;
      files = Files.createDirectories(directory.resolve(name));
      certificates.issue(name, LOCAL, files);
      port = freePort();
      daemon =
          Daemon.start(
              files,
              "[gpu.nvidia]\ndevice = \"/dev/nvidia0\"\n\n"
                  + HostCertificates.configuration(files, address()),
              "[[guest]]\nname = \"" + GUEST + "\"\nvram-limit = \"1GiB\"\n",
              GUEST);
    }

    String address() {
      return LOCAL + ":" + port;
    }

    /** Boots a machine with a guest's device. */
    MachineGuest boot(String run, String... qemu) throws Exception {
      List<String> all = new ArrayList<>(List.of("--"));
      all.addAll(List.of(qemu));
      return MachineGuest.start(
          environment,
          new MachineGuest.Setup(
              environment.image(),
              List.of(daemon.socket(GUEST)),
              run,
              Optional.of(files.resolve(GUEST + ".qmp")),
              all),
          line -> System.out.println(files.getFileName() + "> " + line));
    }

    /** Boots one that waits for another. */
    MachineGuest bootIncoming() throws Exception {
      MachineGuest waiting = boot(BUSY, "-S", "-incoming", "defer");
      try {
        ATTACHING.until("QEMU's attachment", () -> isAttached() || !waiting.isAlive());
        assertThat(waiting.isAlive()).as(waiting.console()).isTrue();
        return waiting;
      } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
        waiting.close();
        throw e;
      }
    }

    private boolean isAttached() throws IOException, InterruptedException {
      return daemon.ctl("guest", "list").contains("attached")
          && Files.exists(files.resolve(GUEST + ".qmp"));
    }

    @Override
    public void close() throws Exception {
      daemon.close();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private HostCertificates certificates() throws Exception {
    return new HostCertificates(Files.createDirectories(directory.resolve("authority")));
  }

  @Test
  void machine_copiesToVideoMemoryAndBack_bytesAreRight() throws Exception {
    MachineEnvironment environment = environment();
    try (Host host = new Host(environment, certificates(), "a");
        MachineGuest machine = host.boot("hopper 64 && hopper && hopper 0x1000000")) {
      assertThat(machine.awaitExit(PATIENCE)).as(machine.console()).isZero();
      assertThat(machine.console().split("hopper: ok", -1)).hasSize(4);
    }
  }

  @Test
  void machine_launchesKernels_resultsAreThoseOfAProcessor() throws Exception {
    MachineEnvironment environment = environment();
    try (Host host = new Host(environment, certificates(), "a");
        MachineGuest machine = host.boot("hopper --launch")) {
      assertThat(machine.awaitExit(PATIENCE)).as(machine.console()).isZero();
      assertThat(machine.console()).contains("hopper: launched");
    }
  }

  /** Copies and kernels, by turns. */
  @Test
  void start_machineThatSubmits_goesToAndFroAndEverySubmissionRanOnce() throws Exception {
    MachineEnvironment environment = environment();
    HostCertificates certificates = certificates();
    try (Host first = new Host(environment, certificates, "a");
        Host second = new Host(environment, certificates, "b")) {
      Host from = first;
      Host to = second;
      MachineGuest machine = first.boot(BUSY);
      try {
        machine.await("hopper: busy", PATIENCE);
        for (int move = 0; move < MOVES; move++) {
          MachineGuest waiting = to.bootIncoming();
          try {
            System.out.print(from.daemon.ctl("migration", "start", GUEST, "--to", to.address()));
          } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            waiting.close();
            throw e;
          }
          machine.close();
          machine = waiting;
          Host left = from;
          from = to;
          to = left;
          Thread.sleep(WORKS_MS);
        }
        machine.type("");
        assertThat(machine.await("hopper-status ", PATIENCE)).as(machine.console()).isEqualTo("0");
        assertThat(machine.console()).containsPattern("hopper: all once, \\d+ copies, [1-9]");
      } finally {
        machine.close();
      }
    }
  }
}
