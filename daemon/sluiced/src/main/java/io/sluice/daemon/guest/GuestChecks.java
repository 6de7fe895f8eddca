package io.sluice.daemon.guest;

import io.sluice.channel.state.GuestLimits;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.runtime.OwnPlaces;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import java.nio.file.Path;
import java.util.Optional;
import javax.management.OperationsException;

/** The checks of what an operator gives for a new guest, that look at no other guest. */
final class GuestChecks {
  private final DaemonConfig config;

  GuestChecks(DaemonConfig config) {
    this.config = config;
  }

  /** A monitor's path; it may not be among the daemon's own files. */
  Path monitor(String failed, String path) throws OperationsException {
    Path monitor =
        GuestSettings.parsePath(path)
            .orElseThrow(() ->
                Problem.of(
                        ErrorCode.GUEST_PATH,
                        failed,
                        "\"" + path + "\" is no absolute path",
                        "give the socket's whole path")
                    .exception());
    Optional<Path> protector = new OwnPlaces(config).protectsFromSockets(monitor);
    if (protector.isPresent()) {
      throw Problem.of(
              ErrorCode.GUEST_PATH,
              failed,
              monitor + " would be among the daemon's own files in " + protector.get(),
              "choose another directory")
          .exception();
    }
    return monitor;
  }

  /** The daemon has sockets of its own beside those of guests. */
  void requireUnreserved(String failed, String name, Path socket) throws OperationsException {
    if (socket.equals(config.migrationSocket()) || socket.equals(config.controlSocket())) {
      throw Problem.of(
              ErrorCode.GUEST_NAME,
              failed,
              "the name \""
                  + name
                  + "\" is reserved: its socket would be the daemon's own, "
                  + socket,
              "choose another name")
          .exception();
    }
  }

  static void requireLimit(String failed, long bytes, GpuHost gpu) throws OperationsException {
    long total = gpu.gpu().info().vramBytes();
    if (bytes < 0 || bytes > total) {
      throw Problem.of(
              ErrorCode.GUEST_VRAM,
              failed,
              "GPU \""
                  + gpu.name()
                  + "\" has "
                  + Quantities.formatSize(total)
                  + " of video memory, "
                  + Quantities.formatSize(bytes)
                  + " requested",
              "choose a smaller limit, or none")
          .exception();
    }
    if (bytes % GuestLimits.PAGE_BYTES != 0) {
      throw Problem.of(
              ErrorCode.QUOTA_VALUE,
              failed,
              "a limit of " + Quantities.formatSize(bytes) + " is not of whole pages",
              "choose a multiple of 4KiB")
          .exception();
    }
  }
}
