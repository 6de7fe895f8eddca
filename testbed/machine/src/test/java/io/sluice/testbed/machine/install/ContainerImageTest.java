package io.sluice.testbed.machine.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Volume;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.install.PlainHost.Ended;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.cubin.Cubin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The image for containers, built of the package by the script that operators call: its daemon has
 * no privileges and a root directory that cannot be written to, and serves a process outside.
 */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TakesLong("packages are made, and an image of one of them")
final class ContainerImageTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String GUEST = "web-01";
  private static final String BASE = "localhost/sluice-test-base";
  private static final String IMAGE = "localhost/sluice:latest";

  /** What a daemon exits with when SIGTERM has stopped it in order. */
  private static final long TERMINATED = 143;

  private Path directory;
  private PlainHost host;
  private String engine;
  private Path run;
  private CPrograms programs;
  private GenericContainer<?> container;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    engine = System.getenv("DOCKER_HOST");
    assumeTrue(
        engine != null && engine.endsWith("/engine/socket"),
        "no Podman of the tests: ./sluice test starts it where it is installed");
    this.directory = directory;
    host = PlainHost.withPackages(directory);
    podman(
        "tar -C '%s' --one-file-system -c . | podman --remote import - %s"
            .formatted(host.root(), BASE));
    podman(
        "CONTAINER_ENGINE='podman --remote' %s '%s' --layers=false --isolation chroot --build-arg BASE=%s"
            .formatted(HOME.resolve("daemon/packaging/image.sh"), host.deb("sluice"), BASE));
    programs = CPrograms.build(directory, "mmul");
    Files.write(directory.resolve("mmul.cubin"), Cubin.write(Kernels.file("mmul")));
    start();
  }

  private void podman(String command) throws IOException, InterruptedException {
    Ended ended = end("CONTAINER_HOST=" + engine + "; export CONTAINER_HOST; " + command);
    assertThat(ended.code()).as(ended.said()).isZero();
  }

  private Ended end(String script) throws IOException, InterruptedException {
    Path said = Files.createTempFile(directory, "said", ".txt");
    Process process =
        new ProcessBuilder("sh", "-euc", script)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    if (!process.waitFor(PATIENCE.toMinutes(), TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException(script + " does not end: " + Files.readString(said));
    }
    return new Ended(process.exitValue(), Files.readString(said));
  }

  private void start() throws IOException {
    run = Files.createDirectory(directory.resolve("run"));
    Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path configuration = Files.createDirectory(directory.resolve("conf.d"));
    Files.writeString(
        configuration.resolve("guests.toml"), "[[guest]]\nname = \"" + GUEST + "\"\n");
    container =
        new GenericContainer<>(DockerImageName.parse(IMAGE))
            .withCreateContainerCmdModifier(command -> {
              HostConfig host = Objects.requireNonNull(command.getHostConfig());
              HostConfig _ =
                  host.withBinds(
                          bind(run, "/run/sluice", AccessMode.rw),
                          bind(configuration, "/etc/sluice/conf.d", AccessMode.ro))
                      .withReadonlyRootfs(true)
                      .withCapDrop(Capability.ALL)
                      .withNetworkMode("none");
            });
    container.start();
    await().atMost(PATIENCE).until(() -> ctl("daemon", "status").getExitCode() == 0);
  }

  private static Bind bind(Path from, String to, AccessMode mode) {
    return new Bind(from.toString(), new Volume(to), mode);
  }

  private Container.ExecResult ctl(String... arguments) throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 1];
    command[0] = "sluicectl";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return container.execInContainer(command);
  }

  @AfterAll
  void stop() {
    if (container != null) {
      container.stop();
      DockerClientFactory.instance().client().removeImageCmd(IMAGE).withForce(true).exec();
      DockerClientFactory.instance().client().removeImageCmd(BASE).withForce(true).exec();
    }
  }

  @Test
  void daemon_withoutPrivileges_servesAProcessOutside() throws Exception {
    Ended computed =
        end(
            "SLUICE_DEVICE=%s %s --size 64 --cubin %s --wait poll"
                .formatted(
                    run.resolve(GUEST + ".sock"),
                    programs.path("mmul"),
                    directory.resolve("mmul.cubin")));

    assertThat(computed.code()).as("%s%s", computed.said(), container.getLogs()).isZero();
    assertThat(computed.said()).contains("mmul: ok");
    assertThat(ctl("guest", "list").getStdout()).containsPattern(GUEST + " +\\S+ +embedded");
    assertThat(container.execInContainer("id", "-u").getStdout().strip()).isNotEqualTo("0");
    assertThat(container.execInContainer("grep", "^CapEff:", "/proc/1/status").getStdout())
        .containsPattern("0{16}\\s");
  }

  /** The container of docs/getting-started.md, typed as it stands there. */
  @Test
  void walk_container_doesWhatThePageSays() throws Exception {
    assumeTrue(end("command -v pkg-config || true").said().contains("pkg-config"), "no pkg-config");
    Path place = Files.createDirectory(directory.resolve("walk"));
    Path bin = Files.createDirectory(place.resolve("bin"));
    Path shim =
        Files.writeString(bin.resolve("podman"), "#!/bin/sh\nexec $PODMAN --remote \"$@\"\n");
    Files.setPosixFilePermissions(shim, PosixFilePermissions.fromString("rwx------"));

    Ended ended =
        end(
            """
            CONTAINER_HOST=%s PODMAN=$(command -v podman) PATH=%s:$PATH
            CONTAINERS_CONF=$(dirname "${CONTAINER_HOST#unix://}")/containers.conf
            export CONTAINER_HOST CONTAINERS_CONF PODMAN PATH
            cd %s
            dpkg-deb -x %s installed
            PKG_CONFIG_SYSROOT_DIR=$PWD/installed PKG_CONFIG_LIBDIR=$(echo installed/usr/lib/*/pkgconfig)
            export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
            """
                    .formatted(engine, bin, place, host.deb("sluice-guest"))
                + String.join("", Walk.part(4, 2))
                    .replace("/usr/share/sluice-guest", "installed/usr/share/sluice-guest")
                    .replace("podman build", "podman build --isolation chroot")
                    .replace("/run/sluice/web-01.sock", run.resolve(GUEST + ".sock").toString())
                + "podman rmi --force example\n");

    assertThat(ended.code()).as(ended.said()).isZero();
    assertThat(ended.said()).contains("example: ok");
  }

  @Test
  void sockets_areOfTheImagesUserAndGroup() throws Exception {
    assertThat(
            container
                .execInContainer("stat", "-c", "%U:%G:%a", "/run/sluice/" + GUEST + ".sock")
                .getStdout()
                .strip())
        .isEqualTo("sluice:sluice-guest:660");
  }

  @Test
  void container_stopped_daemonEndsInOrder() {
    try (GenericContainer<?> second = new GenericContainer<>(DockerImageName.parse(IMAGE))) {
      second.start();
      await().atMost(PATIENCE).until(() -> second.getLogs().contains("event=started"));

      second.getDockerClient().stopContainerCmd(second.getContainerId()).withTimeout(60).exec();

      assertThat(second.getCurrentContainerInfo().getState().getExitCodeLong())
          .as(second.getLogs())
          .isEqualTo(TERMINATED);
    }
  }
}
