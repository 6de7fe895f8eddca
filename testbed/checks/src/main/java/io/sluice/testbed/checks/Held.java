package io.sluice.testbed.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The things that tests open and this process holds: descriptors of sockets, eventfds, memfds,
 * dma-bufs, DRM nodes and their stand-in {@code /dev/zero}, and mappings of memfds. The JVM's own
 * files and heap are not counted, nor is what a process opens once and keeps, such as the socket
 * where it takes agents.
 *
 * @param fds by number, what each descriptor is
 * @param mappedBytes by inode and name, how many bytes of a memfd are mapped
 */
public record Held(Map<Integer, String> fds, Map<String, Long> mappedBytes) {
  static {
    // The JDK keeps a socket for itself once it has closed one.
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the process holds now. */
  public static Held now() {
    return new Held(openFds(), mappedMemfds());
  }

  /** What is held here that was not held before. */
  public Held beyond(Held before) {
    TreeMap<Integer, String> moreFds = new TreeMap<>(fds);
    moreFds.entrySet().removeAll(before.fds.entrySet());
    if (!moreFds.isEmpty()) {
      moreFds.values().removeAll(agentSockets());
    }
    TreeMap<String, Long> moreBytes = new TreeMap<>();
    mappedBytes.forEach((name, bytes) -> {
      long more = bytes - before.mappedBytes.getOrDefault(name, 0L);
      if (more > 0) {
        moreBytes.put(name, more);
      }
    });
    return new Held(moreFds, moreBytes);
  }

  /** Whether nothing is held. */
  public boolean isEmpty() {
    return fds.isEmpty() && mappedBytes.isEmpty();
  }

  private static TreeMap<Integer, String> openFds() {
    TreeMap<Integer, String> open = new TreeMap<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String target = targetOf(entry);
        if (counts(target)) {
          open.put(Integer.parseInt(entry.getFileName().toString()), target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return open;
  }

  /** Those where this JVM has taken an agent, by what a descriptor of them is. */
  private static List<String> agentSockets() {
    String path = "/.java_pid" + ProcessHandle.current().pid();
    try (Stream<String> sockets = Files.lines(Path.of("/proc/net/unix"))) {
      // Num RefCount Protocol Flags Type St Inode Path: proc_net(5)
      return sockets
          .filter(line -> line.contains(path))
          .map(line -> "socket:[" + line.split(" +", 8)[6] + "]")
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean counts(String target) {
    return target.startsWith("socket:")
        || target.startsWith("/memfd:")
        || target.startsWith("/dmabuf:")
        || target.startsWith("/dev/dri/")
        || target.equals("/dev/zero")
        || target.equals("anon_inode:[eventfd]");
  }

  /** Empty for a descriptor that was closed since it was listed. */
  private static String targetOf(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException gone) {
      return "";
    }
  }

  private static TreeMap<String, Long> mappedMemfds() {
    TreeMap<String, Long> mapped = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
        int name = line.indexOf("/memfd:");
        if (name >= 0 && !line.startsWith("/memfd:java_heap", name)) {
          // address perms offset dev inode pathname: proc(5)
          String[] fields = line.split(" +", 6);
          String[] range = fields[0].split("-", 2);
          long bytes = Long.parseUnsignedLong(range[1], 16) - Long.parseUnsignedLong(range[0], 16);
          mapped.merge(fields[4] + " " + fields[5], bytes, Long::sum);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return mapped;
  }
}
