package io.sluice.testbed.machine.support;

import static org.awaitility.Awaitility.await;

import io.sluice.management.GuestMXBean;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** What tests look at in a daemon from outside. */
public final class Daemons {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Daemons() {}

  /**
   * What the kernel says a process holds.
   *
   * @param descriptors open descriptors
   * @param mappings mappings of memfds
   */
  public record Holdings(long descriptors, long mappings) {
    public static Holdings of(long pid) throws IOException {
      Path proc = Path.of("/proc", Long.toString(pid));
      try (Stream<Path> fds = Files.list(proc.resolve("fd"));
          Stream<String> maps = Files.lines(proc.resolve("maps"))) {
        return new Holdings(fds.count(), maps.filter(line -> line.contains("memfd:")).count());
      }
    }

    public boolean isNoMoreThan(Holdings other) {
      return descriptors <= other.descriptors && mappings <= other.mappings;
    }
  }

  /** Waits until a guest has no client and holds nothing. */
  public static void awaitGone(DaemonProcess daemon, String guest) {
    GuestMXBean bean = daemon.connection().guest(guest);
    await()
        .atMost(PATIENCE)
        .until(() ->
            bean.getState().equals("waiting")
                && bean.getMemoryUsedBytes() == 0
                && bean.getChannels().isEmpty());
  }

  /**
   * Waits until the daemon holds no more than before. It may hold less: a descriptor of the client
   * before may still have waited to be closed then.
   */
  public static void awaitHoldings(DaemonProcess daemon, Holdings before) {
    await().atMost(PATIENCE).until(() -> Holdings.of(daemon.pid()).isNoMoreThan(before));
  }
}
