package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationStatusView;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Machines that move between two hosts with nothing in common but a link: separate network and
 * mount namespaces, 100 MB/s, 1 ms.
 */
final class MachineMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String GUEST = "web";
  private static final int PORT = 7443;
  private static final long LINK_BYTES_PER_SECOND = 100_000_000;

  @TempDir private Path directory;
  private MachineEnvironment environment;
  private Path image;

  @BeforeEach
  void find() throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(
        found.isPresent(), "no machine environment: run ./sluice test, not mvn, to have one made");
    assumeTrue(TestHost.whyNot().isEmpty(), TestHost.whyNot());
    environment = found.get();
    image = environment.image();
  }

  /** Two hosts with daemons, and the link between them. */
  private final class TwoHosts implements AutoCloseable {
    final TestHost one;
    final TestHost two;
    final DaemonProcess source;
    final DaemonProcess target;
    final DelayedLink link;

    TwoHosts() throws Exception {
      Path shared = Files.createDirectory(directory.resolve("host"));
      HostCertificates certificates =
          new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
      int number = TestHost.freeNumbers(2);
      one = TestHost.create(shared, number);
      two = TestHost.create(shared, number + 1);
      one.limit(LINK_BYTES_PER_SECOND);
      link =
          new DelayedLink(
              one.gateway(), new InetSocketAddress(two.address(), PORT), Duration.ofMillis(1));
      certificates.issue("one", one.address(), one.seen(shared));
      certificates.issue("two", one.gateway(), two.seen(shared));
      source = DaemonProcess.start(one, List.of(GUEST), HostCertificates.configuration(shared, ""));
      target =
          DaemonProcess.start(
              two,
              List.of(GUEST),
              HostCertificates.configuration(shared, two.address() + ":" + PORT));
    }

    String address() {
      return one.gateway() + ":" + link.port();
    }

    MachineGuest boot(TestHost host, String run, List<String> arguments) throws Exception {
      Path inside = host.directory();
      return MachineGuest.start(
          environment,
          host,
          new MachineGuest.Setup(
              image,
              List.of(inside.resolve(GUEST + ".sock")),
              run,
              Optional.of(inside.resolve(GUEST + ".qmp")),
              arguments),
          _ -> {});
    }

    MachineGuest waiting(String run) throws Exception {
      MachineGuest machine = boot(two, run, List.of("--", "-S", "-incoming", "defer"));
      await()
          .atMost(PATIENCE)
          .until(() ->
              target.connection().guest(GUEST).getState().equals("running")
                  && Files.exists(two.seen(two.directory().resolve(GUEST + ".qmp"))));
      return machine;
    }

    MigrationStatusView awaitOver() {
      await()
          .atMost(PATIENCE)
          .until(() -> {
            MigrationStatusView view = source.connection().migrations().getMigrations().get(GUEST);
            return view != null && view.over();
          });
      return Objects.requireNonNull(source.connection().migrations().getMigrations().get(GUEST));
    }

    @Override
    public void close() throws Exception {
      source.close();
      target.close();
      link.close();
      one.close();
      two.close();
    }
  }

  @Test
  void start_whileTheGpuWorks_nothingIsLostNothingRunsTwice() throws Exception {
    String run = "once 20";
    try (TwoHosts hosts = new TwoHosts();
        MachineGuest before = hosts.boot(hosts.one, run, List.of())) {
      before.await("once: ", PATIENCE);
      try (MachineGuest after = hosts.waiting(run)) {
        hosts.source.connection().migrations().start(GUEST, hosts.address(), Map.of());
        MigrationStatusView view = hosts.awaitOver();
        assertThat(view.phase()).as(view.reason()).isEqualTo("done");
        assertThat(after.await("once: ok", PATIENCE)).isNotEmpty();
        assertThat(after.awaitExit(PATIENCE)).isZero();
      }
    }
  }
}
