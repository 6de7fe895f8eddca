package io.sluice.testbed.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A host of its own: a network namespace with one address, and a mount namespace in which a
 * directory is a file system that nobody else sees. Programs are started in it by a command prefix;
 * sockets in it are reached through {@code /proc}. Needs root.
 */
public final class TestHost implements AutoCloseable {
  private static final int COMMAND_SECONDS = 60;
  private static final int NUMBERS = 250;

  /** Metric of a route that counts only when there is no other. */
  private static final String LAST = "4096";

  // Far more than a daemon and its machines leave there.
  private static final long DISK_BYTES = 1L << 30;
  private static final int DISK_FILES = 100_000;

  private final Process holder;
  private final String device;
  private final Path directory;
  private final String address;
  private final String gateway;
  private List<String> confinement = List.of();

  private TestHost(Process holder, String device, Path directory, String address, String gateway) {
    this.holder = holder;
    this.device = device;
    this.directory = directory;
    this.address = address;
    this.gateway = gateway;
  }

  /**
   * Makes a host.
   *
   * @param directory an empty one, which becomes the host's own; the same for several hosts at will
   * @param number 1 to 250: tells hosts, and what runs beside them, apart
   */
  public static TestHost create(Path directory, int number)
      throws IOException, InterruptedException {
    String network = "10.77." + number + ".";
    String device = "sluice" + number + "-" + ProcessHandle.current().pid() % 100_000;
    Process holder =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "--net",
                "--propagation",
                "private",
                "sh",
                "-c",
                "mount -t tmpfs -o mode=755,size="
                    + DISK_BYTES
                    + ",nr_inodes="
                    + DISK_FILES
                    + " tmpfs \"$1\" && ip link set lo up && echo ready"
                    + " && exec sleep infinity",
                "host",
                directory.toString())
            .redirectErrorStream(true)
            .start();
    TestHost host =
        new TestHost(
            holder,
            device.substring(0, Math.min(15, device.length())),
            directory,
            network + "2",
            network + "1");
    try {
      BufferedReader out = holder.inputReader(StandardCharsets.UTF_8);
      String line = out.readLine();
      if (!"ready".equals(line)) {
        throw new IOException("no host could be made: " + line);
      }
      host.connect();
      return host;
    } catch (IOException | InterruptedException e) {
      host.close();
      throw e;
    }
  }

  /**
   * Numbers that nobody on this machine uses just now, not even hosts of a test that was killed.
   *
   * @param count how many, one after the other
   * @return the first of them
   */
  public static int freeNumbers(int count) throws IOException {
    List<String> taken =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .map(InetAddress::getHostAddress)
            .toList();
    int first = (int) (ProcessHandle.current().pid() % NUMBERS);
    for (int i = 0; i < NUMBERS; i++) {
      int candidate = 1 + (first + i * count) % (NUMBERS - count);
      if (IntStream.range(candidate, candidate + count)
          .noneMatch(number -> taken.contains("10.77." + number + ".1"))) {
        return candidate;
      }
    }
    throw new IOException("too many hosts, or their remains: see ip link");
  }

  private void connect() throws IOException, InterruptedException {
    String pid = Long.toString(holder.pid());
    run("ip", "link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", pid);
    run("ip", "addr", "add", gateway + "/24", "dev", device);
    run("ip", "link", "set", device, "up");
    // While it is off the network, nobody else is to be asked for it: not whom the default route
    // leads to, who may answer.
    run("ip", "route", "replace", "unreachable", network(), "metric", LAST);
    run(enter(List.of("ip", "addr", "add", address + "/24", "dev", "eth0")));
    run(enter(List.of("ip", "link", "set", "eth0", "up")));
    run(enter(List.of("ip", "route", "add", "default", "via", gateway)));
  }

  private String network() {
    return gateway.substring(0, gateway.lastIndexOf('.')) + ".0/24";
  }

  /** What leaves the host is no faster than this from now on. */
  public void limit(long bytesPerSecond) throws IOException, InterruptedException {
    run(
        enter(
            List.of(
                "tc",
                "qdisc",
                "replace",
                "dev",
                "eth0",
                "root",
                "tbf",
                "rate",
                8 * bytesPerSecond + "bit",
                "burst",
                "256k",
                "latency",
                "50ms")));
  }

  /** What is started in the host from now on runs on this processor alone. */
  public void confine(int processor) {
    confinement = List.of("taskset", "--cpu-list", Integer.toString(processor));
  }

  /** Takes the host off the network, or back. */
  public void setLink(boolean up) throws IOException, InterruptedException {
    run("ip", "link", "set", device, up ? "up" : "down");
  }

  /** From now on the file system of its directory has no room: not for a byte, nor for a name. */
  public void fillDisk() throws IOException, InterruptedException {
    remount("size=$(($1 * ($2 - $3))),nr_inodes=$(($4 - $5))");
  }

  /** As {@link #fillDisk()}, but files can still be made: they stay empty. */
  public void fillBytes() throws IOException, InterruptedException {
    remount("size=$(($1 * ($2 - $3)))");
  }

  /** It can only be read: what a disk becomes that fails. */
  public void failDisk() throws IOException, InterruptedException {
    remount("ro");
  }

  /** There is room again, and it can be written. */
  public void mendDisk() throws IOException, InterruptedException {
    remount("rw,size=" + DISK_BYTES + ",nr_inodes=" + DISK_FILES);
  }

  /**
   * @param options in which $1 to $5 stand for the size of a block, blocks, free blocks, names,
   *     free names
   */
  private void remount(String options) throws IOException, InterruptedException {
    run(
        enter(
            List.of(
                "sh",
                "-euc",
                "set -- $(stat -f -c '%S %b %f %c %d' \"$0\"); mount -o \"remount,"
                    + options
                    + "\" \"$0\"",
                directory.toString())));
  }

  /** Its address. */
  public String address() {
    return address;
  }

  /** Ours, as it sees us. */
  public String gateway() {
    return gateway;
  }

  /** The directory that only it sees, as it sees it. */
  public Path directory() {
    return directory;
  }

  /** A path in it, as we see it. */
  public Path seen(Path inside) {
    return Path.of("/proc", Long.toString(holder.pid()), "root")
        .resolve(Path.of("/").relativize(inside));
  }

  /** A command that runs in it; its process is the command's own. */
  public List<String> enter(List<String> command) {
    List<String> all =
        new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(holder.pid()), "--mount", "--net", "--"));
    all.addAll(confinement);
    all.addAll(command);
    return all;
  }

  private static void run(String... command) throws IOException, InterruptedException {
    run(List.of(command));
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
  }

  /** Whether hosts can be made here; otherwise why not. */
  public static String whyNot() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "network namespaces need root";
    }
    for (String tool : List.of("ip", "tc", "nsenter", "unshare", "openssl")) {
      if (List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin").stream()
          .noneMatch(directory -> Files.isExecutable(Path.of(directory, tool)))) {
        return tool + " is not installed";
      }
    }
    return "";
  }

  @Override
  public void close() throws InterruptedException {
    holder.destroy();
    if (!holder.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
      holder.destroyForcibly();
    }
    // The device goes with its peer's namespace; that may stay for a process that we do not know
    // of.
    for (List<String> left :
        List.of(
            List.of("ip", "link", "delete", device),
            List.of("ip", "route", "delete", "unreachable", network(), "metric", LAST))) {
      try {
        run(left);
      } catch (IOException _) {
        // It is gone already.
      }
    }
  }
}
