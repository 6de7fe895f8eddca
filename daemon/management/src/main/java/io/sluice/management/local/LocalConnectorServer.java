package io.sluice.management.local;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.MBeanServer;
import javax.management.OperationsException;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXPrincipal;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.security.auth.Subject;

/**
 * The daemon's end: serves an MBean server on a UNIX socket.
 *
 * <p>The socket is bound in a directory that only we can enter, gets its owner and mode there, and
 * is renamed to its place when everything behind it is ready: there is no moment at which one could
 * connect who may not, or too early.
 */
public final class LocalConnectorServer implements AutoCloseable {
  /** {@code sizeof(sockaddr_un.sun_path)} less the terminating zero: unix(7). */
  public static final int MAX_PATH_BYTES = 107;

  /** What a caller's arguments may be made of: the types of the MXBeans, and no more. */
  private static final String ARGUMENT_FILTER =
      "maxdepth=16;maxarray=4096;maxrefs=4096;maxbytes=262144;"
          + "java.lang.*;java.math.*;java.util.*;javax.management.*;javax.management.openmbean.*;"
          + "javax.management.remote.NotificationResult;java.rmi.MarshalledObject;"
          + "java.rmi.dgc.*;java.rmi.server.*;javax.security.auth.Subject;!*";

  private static final String STAGING = ".new";
  private static final AtomicLong STARTS = new AtomicLong();

  private final Path path;
  private final ChannelServerSocket socket;
  private final JMXConnectorServer connector;

  private LocalConnectorServer(
      Path path, ChannelServerSocket socket, JMXConnectorServer connector) {
    this.path = path;
    this.socket = socket;
    this.connector = connector;
  }

  /**
   * Starts serving.
   *
   * @param path where the socket shall be; its directory exists
   * @throws OperationsException when the path is taken or cannot be used; its message is a {@link
   *     Problem}
   */
  public static LocalConnectorServer start(Path path, PeerPolicy policy, MBeanServer beans)
      throws OperationsException, IOException {
    Path absolute = path.toAbsolutePath().normalize();
    checkPath(absolute);
    removeStale(absolute);
    Path staging = absolute.resolveSibling(STAGING);
    Path staged = staging.resolve("s");
    Files.deleteIfExists(staged);
    Files.deleteIfExists(staging);
    Files.createDirectory(
        staging,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      ChannelServerSocket socket = bind(staged, policy);
      try {
        JMXConnectorServer connector = export(absolute, socket, beans);
        Files.move(staged, absolute, StandardCopyOption.ATOMIC_MOVE);
        return new LocalConnectorServer(absolute, socket, connector);
      } catch (IOException | RuntimeException e) {
        socket.close();
        throw e;
      }
    } finally {
      Files.deleteIfExists(staged);
      Files.deleteIfExists(staging);
    }
  }

  /** Where it listens. */
  public Path path() {
    return path;
  }

  /** Ends all connections and removes the socket. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
    try {
      connector.stop();
    } finally {
      socket.close();
    }
  }

  private static ChannelServerSocket bind(Path staged, PeerPolicy policy) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(staged));
      Optional<GroupPrincipal> group = policy.group();
      PosixFileAttributeView file =
          Files.getFileAttributeView(staged, PosixFileAttributeView.class);
      if (group.isPresent()) {
        file.setGroup(group.get());
      }
      file.setPermissions(
          PosixFilePermissions.fromString(group.isPresent() ? "rw-rw----" : "rw-------"));
      return new ChannelServerSocket(channel, policy);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static JMXConnectorServer export(Path path, ChannelServerSocket socket, MBeanServer beans)
      throws IOException {
    Map<String, Object> environment = new HashMap<>();
    environment.put(RMIConnectorServer.SERIAL_FILTER_PATTERN, ARGUMENT_FILTER);
    environment.put(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, "!*");
    environment.put(JMXConnectorServer.AUTHENTICATOR, (JMXAuthenticator) _ -> caller());
    RMIJRMPServerImpl server =
        new RMIJRMPServerImpl(
            LocalServerSocketFactory.PORT,
            new LocalClientSocketFactory(
                path.toString(), ProcessHandle.current().pid() + "-" + STARTS.incrementAndGet()),
            new LocalServerSocketFactory(socket),
            environment);
    JMXConnectorServer connector =
        new RMIConnectorServer(new JMXServiceURL("service:jmx:rmi://"), environment, server, beans);
    connector.start();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(server.toStub());
    }
    socket.setStub(bytes.toByteArray());
    return connector;
  }

  /** The socket has checked the caller already: this only gives the session its name. */
  private static Subject caller() {
    Peer peer = Peer.current().orElseThrow(() -> new SecurityException("not a local connection"));
    return new Subject(true, Set.of(new JMXPrincipal(peer.user().getName())), Set.of(), Set.of());
  }

  private static void checkPath(Path path) throws OperationsException {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_PATH_BYTES) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "cannot make the control socket " + path,
              "the path has " + bytes + " bytes, the kernel takes " + MAX_PATH_BYTES,
              "choose a shorter daemon.control-socket")
          .exception();
    }
  }

  /** A socket that nobody listens on is left from a daemon that was killed. */
  private static void removeStale(Path path) throws OperationsException, IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
        || Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "cannot make the control socket " + path,
              "there is a file of that name that is no socket",
              "remove it, or choose another daemon.control-socket")
          .exception();
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException _) {
      Files.deleteIfExists(path);
      return;
    }
    throw Problem.of(
            ErrorCode.DAEMON_RUNNING,
            "cannot make the control socket " + path,
            "another daemon serves it",
            "stop that one, or choose another daemon.run-dir")
        .exception();
  }
}
