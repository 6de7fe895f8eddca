package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.ResourceLeakDetector;
import io.sluice.migrate.link.MigrationLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;

/**
 * A server of links on this host and clients of it, with certificates of one authority. Whoever
 * keeps a buffer of Netty's is named on the standard error.
 */
final class WireRig implements AutoCloseable {
  static final String HERE = "localhost";
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final Certificates certificates;
  final WireLoops loops;
  final TunnelTargets tunnels = new TunnelTargets();
  final LinkServer server;

  /** Those that have reached the server and that nobody has taken. */
  final BlockingQueue<MigrationLink> links = new LinkedBlockingQueue<>();

  private final List<AutoCloseable> others = new ArrayList<>();

  /**
   * @param directory for certificates
   * @param threads of the loops
   */
  WireRig(Path directory, int threads) throws Exception {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    certificates = new Certificates(directory);
    loops = new WireLoops(threads, Thread.ofPlatform().daemon().factory());
    server = serve(certificates.of("server", HERE), SessionDoor.CLOSED);
  }

  private LinkServer serve(TlsFiles files, SessionDoor sessions) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new LinkServer(loops, any, files, links::add, tunnels::take, sessions);
  }

  /** Another server of the same links. */
  LinkServer server(TlsFiles files) {
    return server(files, SessionDoor.CLOSED);
  }

  /** Another server of the same links, with a way in for sessions. */
  LinkServer server(TlsFiles files, SessionDoor sessions) {
    LinkServer made = serve(files, sessions);
    others.add(made);
    return made;
  }

  /** A client of the server that it may trust. */
  LinkClient client() throws Exception {
    return client(server.port(), certificates.of("client", "client"), 0, false);
  }

  /**
   * A client, which is closed with the rig.
   *
   * @param limit bytes per second, 0 for none
   */
  LinkClient client(int port, TlsFiles files, long limit, boolean compress) {
    LinkClient made = new LinkClient(loops, HERE, port, files, limit, compress);
    others.add(made);
    return made;
  }

  /** The next link that reaches the server. */
  MigrationLink incoming() throws InterruptedException {
    MigrationLink link = links.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(link).isNotNull();
    return link;
  }

  /** Waits for something that takes no longer than {@link #PATIENCE}, and mostly a millisecond. */
  static ConditionFactory soon() {
    return await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(1));
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable each : others.reversed()) {
      each.close();
    }
    server.close();
    loops.close();
  }
}
