package io.sluice.testbed.machine.move.machine;

import io.sluice.migrate.qemu.RamTransport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A way of two machines that see one directory: QEMU talks to QEMU at a UNIX socket. */
final class DirectTransport implements RamTransport.Source, RamTransport.Target {
  private final Path socket;

  /**
   * @param socket where the destination's QEMU listens
   */
  DirectTransport(Path socket) {
    this.socket = socket;
  }

  @Override
  public String open(ByteBuffer target) {
    return StandardCharsets.UTF_8.decode(target.duplicate()).toString();
  }

  @Override
  public String uri() {
    return "unix:" + socket;
  }

  @Override
  public ByteBuffer address() {
    return ByteBuffer.wrap(uri().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {}
}
