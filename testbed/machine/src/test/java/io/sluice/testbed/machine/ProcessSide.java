package io.sluice.testbed.machine;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.machine.Daemons.Holdings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A daemon of this host that can be held in a phase, killed, stalled and started anew. */
final class ProcessSide implements AutoCloseable {
  static final String GUEST = "moved";
  private static final String ADDRESS = "127.0.0.1";

  private final Path directory;
  private @Nullable DaemonProcess daemon;
  private @Nullable PhaseStop stop;

  ProcessSide(Path directory) {
    this.directory = directory;
  }

  /** Starts it unless it runs. */
  void ensure() throws IOException, InterruptedException {
    if (daemon == null) {
      DaemonProcess started =
          DaemonProcess.start(directory, List.of(GUEST), List.of(PhaseStop.jvmOption(ADDRESS)));
      daemon = started;
      stop = PhaseStop.attach(started, ADDRESS);
    }
  }

  DaemonProcess daemon() {
    DaemonProcess running = daemon;
    if (running == null) {
      throw new IllegalStateException("it was killed");
    }
    return running;
  }

  PhaseStop stop() {
    PhaseStop attached = stop;
    if (attached == null) {
      throw new IllegalStateException("it was killed");
    }
    return attached;
  }

  boolean isAlive() {
    return daemon != null;
  }

  MigrationsMXBean migrations() {
    return daemon().connection().migrations();
  }

  /** Its side of the last migration. */
  MigrationStatusView view() {
    MigrationStatusView view = migrations().getMigrations().get(GUEST);
    if (view == null) {
      throw new AssertionError("no migration");
    }
    return view;
  }

  /** Where others pass guests on to it. */
  String address() {
    return "unix:" + migrations().getSocketPath();
  }

  Holdings holdings() throws IOException {
    return Holdings.of(daemon().pid());
  }

  void signal(String name) throws IOException, InterruptedException {
    Processes.signal(daemon().pid(), name);
  }

  /** As a crash would. */
  void kill() throws IOException, InterruptedException {
    DaemonProcess running = daemon();
    PhaseStop attached = stop();
    daemon = null;
    stop = null;
    running.kill();
    attached.close();
    running.close();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (daemon != null) {
      stop().close();
      daemon().close();
      daemon = null;
    }
  }
}
