package io.sluice.testbed.machine.move.process;

import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.move.HeldDaemon;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A daemon of this host, between which processes move. */
final class ProcessSide extends HeldDaemon {
  static final String GUEST = "moved";
  private static final String LOOPBACK = "127.0.0.1";

  /** Our own connection to it is kept for 1 s. */
  private static final Duration LINGER = Duration.ofSeconds(2);

  private final Path directory;

  ProcessSide(Path directory) {
    super(GUEST, LOOPBACK, LINGER);
    this.directory = directory;
  }

  @Override
  public DaemonProcess start(String jvmOption) throws IOException, InterruptedException {
    return DaemonProcess.start(directory, List.of(GUEST), List.of(jvmOption));
  }

  /** Where others pass guests on to it. */
  String address() {
    return "unix:" + migrations().getSocketPath();
  }
}
