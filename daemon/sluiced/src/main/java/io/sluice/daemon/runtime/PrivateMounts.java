package io.sluice.daemon.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The directories that the service manager gives a service of its own in place of those that
 * everybody sees, {@code PrivateTmp} of systemd.exec(5): what is written there, nobody else finds,
 * and it is removed when the service stops.
 *
 * @param points where they are mounted
 */
record PrivateMounts(List<Path> points) {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  /** Of proc_pid_mountinfo(5): what of its file system is mounted, and where. */
  private static final int ROOT = 3;

  private static final int POINT = 4;

  /** What systemd calls the directories that it makes for services. */
  private static final String MADE_FOR_SERVICE = "/systemd-private-";

  /** Those of this process; none when the kernel does not say. */
  static PrivateMounts ofThisProcess() {
    try {
      return of(Files.readAllLines(MOUNTS));
    } catch (IOException _) {
      return new PrivateMounts(List.of());
    }
  }

  /**
   * Those among mounts.
   *
   * @param lines of mountinfo
   */
  static PrivateMounts of(List<String> lines) {
    return new PrivateMounts(
        lines.stream()
            .map(line -> line.split(" "))
            .filter(fields -> fields.length > POINT && fields[ROOT].contains(MADE_FOR_SERVICE))
            .map(fields -> Path.of(fields[POINT]))
            .toList());
  }

  /** The one that a file would be in. */
  Optional<Path> of(Path file) {
    return points.stream().filter(file::startsWith).findFirst();
  }
}
