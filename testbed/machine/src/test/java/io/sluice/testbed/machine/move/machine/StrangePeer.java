package io.sluice.testbed.machine.move.machine;

import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.wire.LinkServer;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.migrate.wire.WireLoops;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A destination that has the right certificate and accepts whatever it is offered, in a version of
 * the protocol that does not exist yet.
 */
final class StrangePeer implements AutoCloseable {
  private static final int VERSION = 99;

  private final WireLoops loops;
  private final LinkServer server;
  private final String address;

  /**
   * @param files directory of its certificate
   * @param address that the certificate is for
   */
  StrangePeer(Path files, String address) {
    this.address = address;
    loops = new WireLoops(1, Thread.ofPlatform().daemon().name("strange-", 0).factory());
    server =
        new LinkServer(
            loops,
            new InetSocketAddress(address, 0),
            new TlsFiles(
                files.resolve("host.crt"),
                files.resolve("host.key"),
                files.resolve("authority.crt")),
            link -> link.setWaker(() -> answer(link)),
            _ -> Optional.empty());
  }

  private static void answer(MigrationLink link) {
    if (link.failure().isPresent()) {
      return;
    }
    Frame asked = link.poll(MigrationLink.CONTROL);
    if (asked != null && asked.type() == FrameType.OFFER) {
      ByteBuffer version = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      link.send(MigrationLink.CONTROL, Frame.of(FrameType.ACCEPT, version.putInt(VERSION).flip()));
    }
  }

  /** Where machines are sent to. */
  String address() {
    return address + ":" + server.port();
  }

  @Override
  public void close() {
    server.close();
    loops.close();
  }
}
