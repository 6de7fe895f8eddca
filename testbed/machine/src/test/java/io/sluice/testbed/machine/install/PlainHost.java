package io.sluice.testbed.machine.install;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Debian without Java, and the packages of this tree: testbed/vm/on-host.sh runs scripts there,
 * each on a fresh one.
 */
final class PlainHost {
  private static final int UNAVAILABLE = 69;
  private static final int PATIENCE_MINUTES = 15;
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Path JARS = HOME.resolve("daemon/packaging/target/lib");

  private final Path root;
  private final Path directory;

  private PlainHost(Path root, Path directory) {
    this.root = root;
    this.directory = directory;
  }

  /** The end of a script. */
  record Ended(int code, String said) {}

  /**
   * Makes the packages; skips the test where there is no such host.
   *
   * @param directory an empty one, which the hosts see: the packages are in {@code packages}
   */
  static PlainHost withPackages(Path directory) throws IOException, InterruptedException {
    String root = System.getProperty("sluice.vm.host", "");
    assumeTrue(!root.isEmpty(), "no root directory of a plain host: ./sluice test makes one");
    return withPackages(Path.of(root), directory);
  }

  /** The same on a host that has QEMU and libvirt, whose root directory is made if need be. */
  static PlainHost withLibvirt(Path directory) throws IOException, InterruptedException {
    Ended made =
        new PlainHost(directory, directory)
            .end(List.of(HOME.resolve("testbed/vm/root.sh").toString(), "--libvirt"));
    assumeTrue(made.code() == 0, made.said());
    String said = made.said().strip();
    return withPackages(Path.of(said.substring(said.lastIndexOf('\n') + 1)), directory);
  }

  private static PlainHost withPackages(Path root, Path directory)
      throws IOException, InterruptedException {
    assumeTrue(Files.isDirectory(JARS), "the product's jars are gathered by mvn verify");
    PlainHost host = new PlainHost(root, directory);
    Ended made =
        host.end(
            List.of(
                HOME.resolve("daemon/packaging/package.sh").toString(),
                System.getProperty("java.home"),
                JARS.toString(),
                directory.resolve("packages").toString()));
    assumeTrue(made.code() != UNAVAILABLE, made.said());
    if (made.code() != 0) {
      throw new IOException("no packages: " + made.said());
    }
    return host;
  }

  /** Its root directory, which nobody writes to. */
  Path root() {
    return root;
  }

  /** The package of a name. */
  Path deb(String name) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("packages"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(name + "_"))
          .findFirst()
          .orElseThrow();
    }
  }

  /**
   * Runs a script of sh on a fresh host that has not booted.
   *
   * @param shown more directories that it sees, which nobody can write to there
   */
  Ended run(String script, Path... shown) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    for (Path each : shown) {
      options.addAll(List.of("--bind-ro", each.toString()));
    }
    return end(command(options, script));
  }

  /** Runs it on one that has, by systemd; skips the test where it cannot. */
  Ended runBooted(String script) throws IOException, InterruptedException {
    Ended ended = end(command(List.of("--systemd"), script));
    assumeTrue(ended.code() != UNAVAILABLE, ended.said());
    return ended;
  }

  private List<String> command(List<String> options, String script) throws IOException {
    Path file = Files.createTempFile(directory, "script", ".sh");
    Files.writeString(file, script);
    List<String> command = new ArrayList<>();
    command.add(HOME.resolve("testbed/vm/on-host.sh").toString());
    command.addAll(List.of("--root", root.toString(), "--bind-ro", directory.toString()));
    command.addAll(options);
    command.addAll(List.of("--", "sh", "-eu", file.toString()));
    return command;
  }

  private Ended end(List<String> command) throws IOException, InterruptedException {
    Path said = Files.createTempFile(directory, "said", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
      process.destroy();
      throw new IOException(command + " does not end: " + Files.readString(said));
    }
    return new Ended(process.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
  }
}
