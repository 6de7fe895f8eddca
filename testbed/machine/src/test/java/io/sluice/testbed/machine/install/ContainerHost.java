package io.sluice.testbed.machine.install;

import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Volume;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.SerialConsole;
import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.images.builder.ImageFromDockerfile;

/**
 * A host that is a container: sluiced is its first process, and QEMU runs beside it. Its programs
 * are this machine's, bound read-only; its directory is its own. It has no privileges and no
 * devices.
 */
final class ContainerHost implements AutoCloseable {
  static final String GUEST = "web";
  static final int PORT = 7443;

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final String JAVA = "/java";

  /** Links into /usr, elsewhere. */
  private static final List<String> MERGED = List.of("bin", "sbin", "lib", "lib64");

  private final MachineEnvironment environment;
  private final Path image;
  private final Path directory;
  private final GenericContainer<?> container;
  private @Nullable SocketChannel serial;
  private @Nullable SerialConsole console;

  /**
   * Starts one, and waits for its daemon.
   *
   * @param name by which others on its network call it
   * @param directory an empty one, for it alone; its certificate and the authority's lie there
   */
  ContainerHost(
      MachineEnvironment environment, Path image, Network network, String name, Path directory)
      throws IOException {
    this.environment = environment;
    this.image = image;
    this.directory = directory;
    Path _ = Files.writeString(directory.resolve("sluice.toml"), configuration());
    List<Bind> binds = binds();
    container =
        new GenericContainer<>(image())
            .withNetwork(network)
            .withNetworkAliases(name)
            .withCreateContainerCmdModifier(command -> {
              command.withHostName(name).withEntrypoint(daemon());
              HostConfig host = Objects.requireNonNull(command.getHostConfig());
              HostConfig _ = host.withBinds(binds);
            });
    container.start();
    await().atMost(PATIENCE).until(() -> ctl("guest", "list").getExitCode() == 0);
  }

  /** Nothing but whose processes there are. */
  private static ImageFromDockerfile image() {
    return new ImageFromDockerfile()
        .withFileFromString("passwd", "root:x:0:0:root:/:/bin/sh\n")
        .withFileFromString("group", "root:x:0:\n")
        .withFileFromString("Dockerfile", "FROM scratch\nCOPY passwd group /etc/\n");
  }

  private List<Bind> binds() throws IOException {
    List<Bind> binds = new ArrayList<>();
    Path usr = environment.root().resolve("usr");
    binds.add(readOnly(usr, "/usr"));
    for (String name : MERGED) {
      binds.add(readOnly(usr.resolve(name), "/" + name));
    }
    binds.add(readOnly(Path.of(System.getProperty("java.home")), JAVA));
    // Where distributions keep what a JDK is configured by.
    try (DirectoryStream<Path> found = Files.newDirectoryStream(Path.of("/etc"), "java*")) {
      found.forEach(path -> binds.add(readOnly(path, path.toString())));
    }
    Stream.concat(Stream.of(image.toString()), Stream.of(modulePath().split(File.pathSeparator)))
        .distinct()
        .forEach(path -> binds.add(readOnly(Path.of(path), path)));
    binds.add(new Bind(directory.toString(), new Volume(directory.toString()), AccessMode.rw));
    return binds;
  }

  private static Bind readOnly(Path from, String to) {
    return new Bind(from.toString(), new Volume(to), AccessMode.ro);
  }

  private static String modulePath() {
    return System.getProperty("jdk.module.path", System.getProperty("java.class.path"));
  }

  private String configuration() {
    return "[daemon]\nrun-dir = \""
        + directory
        + "\"\nstate-dir = \""
        + directory.resolve("state")
        + "\"\n[gpu.embedded]\n[[guest]]\nname = \""
        + GUEST
        + "\"\n"
        + HostCertificates.configuration(directory, "0.0.0.0:" + PORT);
  }

  private String[] daemon() {
    return java(
            "io.sluice.daemon/io.sluice.daemon.Sluiced",
            "--config",
            directory.resolve("sluice.toml").toString())
        .toArray(String[]::new);
  }

  private static List<String> java(String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(JAVA + "/bin/java");
    command.addAll(DaemonProcess.JVM_OPTIONS);
    command.addAll(List.of("--module-path", modulePath(), "--module", main));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Runs sluicectl in it. */
  Container.ExecResult ctl(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        java(
            "io.sluice.sluicectl/io.sluice.sluicectl.SluiceCtl",
            "--socket",
            directory.resolve("control").toString());
    command.addAll(List.of(arguments));
    return container.execInContainer(command.toArray(String[]::new));
  }

  /** Starts a machine that runs a command, or waits for another that does. */
  void boot(String run, boolean incoming) throws IOException, InterruptedException {
    Path socket = directory.resolve("serial.sock");
    String qemu =
        printed(
            List.of(
                environment.scripts().resolve("qemu.sh").toString(),
                "--root",
                environment.root().toString(),
                "--image",
                image.toString(),
                "--socket",
                directory.resolve(GUEST + ".sock").toString(),
                "--qmp",
                directory.resolve(GUEST + ".qmp").toString(),
                "--serial",
                socket.toString(),
                "--memory",
                "256M",
                "--msg-timeout",
                "60000",
                "--append",
                "no_timer_check",
                "--run",
                run,
                "--print",
                "--"),
            incoming ? List.of("-S", "-incoming", "defer") : List.of());
    Container.ExecResult started =
        container.execInContainer(
            "sh",
            "-c",
            "setsid " + qemu + " >" + directory.resolve("qemu.log") + " 2>&1 </dev/null &");
    if (started.getExitCode() != 0) {
      throw new IOException("no QEMU: " + started.getStderr());
    }
    await().atMost(PATIENCE).until(() -> Files.exists(socket));
    serial = SocketChannel.open(StandardProtocolFamily.UNIX);
    boolean _ = serial.connect(UnixDomainSocketAddress.of(socket));
    console =
        new SerialConsole(
            Channels.newInputStream(serial), Channels.newOutputStream(serial), _ -> {});
    String state = incoming ? "\"attached\"" : "\"running\"";
    await()
        .atMost(PATIENCE)
        .until(() -> ctl("-f", "json", "guest", "list").getStdout().contains(state));
  }

  private static String printed(List<String> command, List<String> more)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(command);
    all.addAll(more);
    Process process =
        new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(all + " ended with " + process.exitValue());
    }
    return printed.strip();
  }

  /** Its machine's. */
  SerialConsole console() {
    SerialConsole opened = console;
    if (opened == null) {
      throw new IllegalStateException("no machine");
    }
    return opened;
  }

  /** What the daemon and QEMU said. */
  String said() throws IOException {
    Path log = directory.resolve("qemu.log");
    return container.getLogs() + (Files.exists(log) ? Files.readString(log) : "");
  }

  @Override
  public void close() throws IOException {
    container.stop();
    if (serial != null) {
      serial.close();
    }
  }
}
