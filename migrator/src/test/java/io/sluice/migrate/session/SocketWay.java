package io.sluice.migrate.session;

import io.sluice.migrate.qemu.RamTransport;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A way of streams that is a socket.
 *
 * @param fails when it is told that somebody listens
 */
record SocketWay(Path socket, boolean fails) implements RamTransport.Target {
  @Override
  public void listening() {
    if (fails) {
      throw new OutOfMemoryError("by the test");
    }
  }

  @Override
  public String uri() {
    return "unix:" + socket;
  }

  @Override
  public ByteBuffer address() {
    return ByteBuffer.wrap(new byte[] {'h', 'e', 'r', 'e'});
  }

  @Override
  public void close() {}
}
