package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.qemu.RamTransport;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the tunnels of machines end. */
final class TunnelTargetsTest {
  private final TunnelTargets targets = new TunnelTargets();
  @TempDir private Path directory;

  @Test
  void close_machineThatNeverReceived_leavesNoSocket() throws Exception {
    UUID id = new UUID(1, 2);
    Path socket = directory.resolve("web.qmp.in");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket)); // as QEMU does, which leaves it
    }
    assertThat(socket).exists();
    targets.target(id, socket).close();
    assertThat(socket).doesNotExist();
    assertThat(targets.take(id)).isEmpty();
  }

  @Test
  void close_whereAFileIs_leavesIt() throws Exception {
    Path file = Files.createFile(directory.resolve("web.qmp.in"));
    targets.target(new UUID(1, 2), file).close();
    assertThat(file).exists();
  }

  @Test
  void cut_toldTwice_isTheFirst() {
    UUID id = new UUID(1, 2);
    RamTransport.Target target = targets.target(id, directory.resolve("web.qmp.in"));
    Consumer<String> onCut = targets.take(id).orElseThrow().onCut();
    assertThat(target.cut()).isEmpty();
    onCut.accept("a bad record");
    onCut.accept("the other side has ended it");
    assertThat(target.cut()).contains("a bad record");
  }

  @Test
  void take_oneThatStandsOpen_isForManyUntilItIsClosed() {
    UUID id = new UUID(1, 2);
    RamTransport.Target target = targets.standing(id, directory.resolve("web.qmp.in.sessions"));
    assertThat(targets.take(id)).isPresent();
    assertThat(targets.take(id)).isPresent();
    target.close();
    assertThat(targets.take(id)).isEmpty();
  }

  @Test
  void take_twice_isForOne() {
    UUID id = new UUID(1, 2);
    targets.target(id, directory.resolve("web.qmp.in"));
    assertThat(targets.take(id).map(TunnelTargets.Awaited::socket))
        .contains(directory.resolve("web.qmp.in"));
    assertThat(targets.take(id)).isEmpty();
  }
}
