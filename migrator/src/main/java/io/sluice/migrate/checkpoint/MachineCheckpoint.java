package io.sluice.migrate.checkpoint;

import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.qemu.RamTransport;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;

/**
 * A machine that is written to a file, or made of one: QEMU's own stream, with processors, memory
 * and other devices, is part of the file. It goes through a UNIX socket beside the machine's
 * monitor, so that QEMU need see no file of ours, and what it wrote is summed as all the rest is.
 */
public final class MachineCheckpoint {
  private MachineCheckpoint() {}

  /**
   * The way into a file, for {@link io.sluice.migrate.qemu.QemuSource}.
   *
   * @param socket where QEMU, which may see another file system, finds us: beside its monitor
   */
  public static RamTransport.Source into(
      CheckpointWriter writer, Path socket, ThreadFactory threads) {
    return new MachineTap(writer, socket, threads);
  }

  /**
   * The way out of a file, for {@link io.sluice.migrate.qemu.QemuTarget}.
   *
   * @param socket where QEMU is to listen
   */
  public static RamTransport.Target from(
      CheckpointReader reader, Path socket, ThreadFactory threads) {
    return new MachineFeed(reader, socket, threads);
  }

  /**
   * The way of its sessions into the file, for {@link io.sluice.migrate.session.SessionsSource}.
   *
   * @param allowance of their bytes
   * @param socket where nobody but this daemon listens
   */
  public static RamTransport.Source sessionsInto(
      CheckpointWriter writer,
      SessionAllowance allowance,
      Path socket,
      Kernel kernel,
      ThreadFactory threads) {
    return new SessionsTap(writer, allowance, socket, kernel, threads);
  }

  /**
   * The way of its sessions out of the file, for {@link io.sluice.migrate.session.SessionsTarget}.
   *
   * @param socket as above
   */
  public static RamTransport.Target sessionsFrom(
      CheckpointReader reader, Path socket, Kernel kernel, ThreadFactory threads) {
    return new SessionsFeed(reader, socket, kernel, threads);
  }
}
