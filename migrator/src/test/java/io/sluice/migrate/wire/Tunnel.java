package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/** Two sockets as QEMUs have them, the tunnel between them, and what its source says of it. */
final class Tunnel implements AutoCloseable {
  final TunnelSource source;

  /** The source's QEMU. */
  final SocketChannel near;

  /** The destination's QEMU. */
  final SocketChannel far;

  private final ServerSocketChannel listener;
  final RamTransport.Target target;

  /**
   * @param limitBytes on its way at most; 0 for the usual limit
   */
  Tunnel(WireRig rig, Path directory, long limitBytes) throws Exception {
    this(rig, rig.client(), directory, limitBytes);
  }

  Tunnel(WireRig rig, LinkClient client, Path directory, long limitBytes) throws Exception {
    Path socket = directory.resolve("far");
    Path entry = directory.resolve("near");
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    target = rig.tunnels.target(UUID.randomUUID(), socket);
    source = new TunnelSource(client, entry);
    if (limitBytes > 0) {
      source.limitQueue(limitBytes);
    }
    assertThat(source.open(target.address())).isEqualTo("unix:" + entry);
    near = SocketChannel.open(UnixDomainSocketAddress.of(entry));
    far = listener.accept();
  }

  /** Writes all of it. */
  static void write(SocketChannel socket, byte[] bytes) {
    try {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      while (out.hasRemaining()) {
        int _ = socket.write(out);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Says what is heard, until the other side ends. */
  static void echo(SocketChannel socket) {
    try {
      ByteBuffer some = ByteBuffer.allocate(10_000);
      while (socket.read(some) >= 0) {
        write(socket, Arrays.copyOf(some.array(), some.position()));
        some.clear();
      }
    } catch (IOException _) {
      // ended
    }
  }

  @Override
  public void close() throws Exception {
    near.close();
    far.close();
    source.close();
    target.close();
    listener.close();
  }
}
