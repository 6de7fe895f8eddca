package io.sluice.daemon.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The places on a host that are looked at.
 *
 * @param kvm the node of KVM
 * @param limits the limits of this process, as proc(5) has them
 * @param programs directories of programs
 */
record HostPaths(Path kvm, Path limits, List<Path> programs) {
  static final HostPaths OF_THIS_HOST =
      new HostPaths(
          Path.of("/dev/kvm"),
          Path.of("/proc/self/limits"),
          List.of(Path.of("/usr/local/bin"), Path.of("/usr/bin"), Path.of("/usr/libexec")));

  /** What the kernel writes for no limit. */
  static final String UNLIMITED = "unlimited";

  private static final Pattern LOCKED = Pattern.compile("(?m)^Max locked memory +(\\w+)");
  private static final double GIB = 1L << 30;

  /** The soft limit, in bytes; {@link #UNLIMITED} also where it cannot be read. */
  String lockedMemory() {
    try {
      Matcher line = LOCKED.matcher(Files.readString(limits));
      return line.find() ? line.group(1) : UNLIMITED;
    } catch (IOException _) {
      return UNLIMITED;
    }
  }

  /** {@code 62.7GiB}. */
  static String rounded(long bytes) {
    return String.format(Locale.ROOT, "%.1fGiB", bytes / GIB);
  }
}
