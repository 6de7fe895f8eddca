package io.sluice.testbed.machine.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.Network;

/**
 * A machine moves over a bridge between two containers without privileges, called by their names,
 * and sluicectl in one of them is all that is told.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("it builds and starts two containers")
final class ContainerMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String RUN =
      "while :; do rm -f /tmp/end; once --until /tmp/end 100000 & p=$!; read x; touch /tmp/end;"
          + " wait $p; echo once-status $?; done";

  @TempDir private Path directory;
  private MachineEnvironment environment;

  @BeforeEach
  void find() {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    environment = found.get();
    assumeTrue(
        System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock")),
        "no container engine: run ./sluice test, which starts Podman where it is installed");
    assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "the container engine does not answer, DOCKER_HOST=" + System.getenv("DOCKER_HOST"));
  }

  @Test
  void start_betweenContainers_theProgramGoesOn() throws Exception {
    Path image = environment.image();
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    try (Network network = Network.newNetwork();
        ContainerHost first = host("kvm-a", image, network, certificates);
        ContainerHost second = host("kvm-b", image, network, certificates)) {
      first.boot(RUN, false);
      second.boot(RUN, true);
      first.console().await("once: ", PATIENCE);

      Container.ExecResult moved =
          first.ctl(
              "migration", "start", ContainerHost.GUEST, "--to", "kvm-b:" + ContainerHost.PORT);

      assertThat(moved.getExitCode())
          .as("%s%s%s%s", moved.getStdout(), moved.getStderr(), first.said(), second.said())
          .isZero();
      second.console().type("");
      assertThat(second.console().await("once-status ", PATIENCE))
          .as(second.console().text())
          .isEqualTo("0");
      assertThat(first.ctl("-f", "json", "guest", "list").getStdout()).contains("\"waiting\"");
    }
  }

  private ContainerHost host(
      String name, Path image, Network network, HostCertificates certificates) throws Exception {
    Path own = Files.createDirectory(directory.resolve(name));
    certificates.issue(name, own);
    return new ContainerHost(environment, image, network, name, own);
  }
}
