package io.sluice.management.local;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
 * The daemon's end: serves what {@link BeanAccess} lets through of an MBean server on a UNIX
 * socket.
 */
public final class LocalConnectorServer implements AutoCloseable {
  /** What a caller's arguments may be made of: the types of the MXBeans, and no more. */
  private static final String ARGUMENT_FILTER =
      "maxdepth=16;maxarray=4096;maxrefs=4096;maxbytes=262144;"
          + "java.lang.*;java.math.*;java.util.*;javax.management.*;javax.management.openmbean.*;"
          + "javax.management.remote.NotificationResult;java.rmi.MarshalledObject;"
          + "java.rmi.dgc.*;java.rmi.server.*;javax.security.auth.Subject;!*";

  private static final AtomicLong STARTS = new AtomicLong();

  private final SocketFile file;
  private final ChannelServerSocket socket;
  private final JMXConnectorServer connector;

  private LocalConnectorServer(
      SocketFile file, ChannelServerSocket socket, JMXConnectorServer connector) {
    this.file = file;
    this.socket = socket;
    this.connector = connector;
  }

  /**
   * Starts serving, and tells of nobody who is refused.
   *
   * @param path where the socket shall be; its directory exists
   * @throws OperationsException when the path is taken or cannot be used; its message is a {@link
   *     Problem}
   */
  public static LocalConnectorServer start(Path path, PeerPolicy policy, MBeanServer beans)
      throws OperationsException, IOException {
    return start(path, policy, beans, RefusalListener.none());
  }

  /**
   * Starts serving; whoever connects from then on finds everything ready.
   *
   * @param path where the socket shall be; its directory exists
   * @throws OperationsException when the path is taken or cannot be used; its message is a {@link
   *     Problem}
   */
  public static LocalConnectorServer start(
      Path path, PeerPolicy policy, MBeanServer beans, RefusalListener refusals)
      throws OperationsException, IOException {
    SocketFile file = new SocketFile(path, "the control socket", ErrorCode.DAEMON_PATH);
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    ChannelServerSocket socket = new ChannelServerSocket(channel, policy, refusals);
    AtomicReference<JMXConnectorServer> connector = new AtomicReference<>();
    try {
      file.publish(
          policy.group(),
          ErrorCode.DAEMON_RUNNING,
          staged -> {
            channel.bind(UnixDomainSocketAddress.of(staged));
            connector.set(export(file.path(), socket, beans, refusals));
          });
      return new LocalConnectorServer(file, socket, Objects.requireNonNull(connector.get()));
    } catch (OperationsException | IOException | RuntimeException e) {
      JMXConnectorServer started = connector.get();
      if (started != null) {
        started.stop();
      }
      socket.close();
      throw e;
    }
  }

  /**
   * Looks whether another daemon has the control socket already, before anything else is made.
   *
   * @throws OperationsException when the path is taken; its message is a {@link Problem}
   */
  public static void requireFree(Path path) throws OperationsException, IOException {
    new SocketFile(path, "the control socket", ErrorCode.DAEMON_PATH)
        .requireFree(ErrorCode.DAEMON_RUNNING);
  }

  /** Where it listens. */
  public Path path() {
    return file.path();
  }

  /** Ends all connections and removes the socket. */
  @Override
  public void close() throws IOException {
    file.delete();
    try {
      connector.stop();
    } finally {
      socket.close();
    }
  }

  private static JMXConnectorServer export(
      Path path, ChannelServerSocket socket, MBeanServer beans, RefusalListener refusals)
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
        new RMIConnectorServer(
            new JMXServiceURL("service:jmx:rmi://localhost"), environment, server, beans);
    connector.setMBeanServerForwarder(BeanAccess.forwarder(refusals));
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
}
