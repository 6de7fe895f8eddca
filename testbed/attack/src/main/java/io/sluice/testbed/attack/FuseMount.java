package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file system by FUSE in a mount namespace of its server alone, which others reach by {@code
 * /proc}. Closing it ends the server: then the kernel fails whatever waits for an answer.
 */
final class FuseMount implements AutoCloseable {
  private static final String DEVICE = "/dev/fuse";
  private static final String MOUNTED =
      "exec 3<>"
          + DEVICE
          + " && mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 attack \"$0\""
          + " && exec \"$@\"";

  private final Path directory;
  private final Process server;

  private FuseMount(Path directory, Process server) {
    this.directory = directory;
    this.server = server;
  }

  /**
   * @throws IOException with what was said, when this process may not mount it
   */
  static FuseMount open() throws IOException {
    Path directory = Files.createTempDirectory("attack-fuse");
    List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
    if (!"root".equals(System.getProperty("user.name"))) {
      command.add("--map-root-user");
    }
    command.addAll(List.of("sh", "-c", MOUNTED, directory.toString()));
    command.addAll(SmallProgram.command(FuseServer.class));
    Process server = new ProcessBuilder(command).redirectErrorStream(true).start();
    FuseMount mount = new FuseMount(directory, server);
    BufferedReader said = server.inputReader(StandardCharsets.UTF_8);
    String last = "nothing was said";
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.equals(FuseServer.READY)) {
        return mount;
      }
      last = line;
    }
    mount.close();
    throw new IOException(last);
  }

  /** Why this host has no such file systems for us; empty: it has. */
  static Optional<String> obstacle() {
    if (!Files.exists(Path.of(DEVICE))) {
      return Optional.of("there is no " + DEVICE);
    }
    try (FuseMount _ = open()) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("no file system by FUSE can be mounted: " + e.getMessage());
    }
  }

  /** The file, opened once more; closing it waits until the server ends. */
  Fd file(Kernel kernel) {
    Path root = Path.of("/proc", Long.toString(server.pid()), "root");
    return kernel.open(Path.of(root + directory.toString(), "file"), Kernel.O_RDWR);
  }

  @Override
  public void close() throws IOException {
    server.destroyForcibly().onExit().join();
    Files.delete(directory);
  }
}
