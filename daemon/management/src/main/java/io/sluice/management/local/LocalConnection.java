package io.sluice.management.local;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestMXBean;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.ObjectNames;
import io.sluice.management.Problem;
import io.sluice.management.ProgramsMXBean;
import io.sluice.management.SessionsMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.remote.JMXConnectionNotification;
import javax.management.remote.JMXConnector;
import javax.management.remote.rmi.RMIConnector;
import javax.management.remote.rmi.RMIServer;

/** The operator's end: a connection to the daemon that listens on a UNIX socket. */
public final class LocalConnection implements AutoCloseable {
  private static final ObjectInputFilter STUB_FILTER =
      ObjectInputFilter.Config.createFilter(
          "maxdepth=8;maxarray=16;maxrefs=256;maxbytes=65536;java.lang.*;java.lang.reflect.Proxy;"
              + "java.rmi.Remote;java.rmi.server.*;javax.management.remote.rmi.*;"
              + "io.sluice.management.local.LocalClientSocketFactory;!*");

  /** A wait for notifications ends before an answer counts as overdue. */
  private static final long NOTIFICATION_WAIT_MS = 5000;

  private final JMXConnector connector;
  private final MBeanServerConnection beans;

  private LocalConnection(JMXConnector connector, MBeanServerConnection beans) {
    this.connector = connector;
    this.beans = beans;
  }

  /**
   * Connects.
   *
   * @param path the daemon's control socket
   * @throws LocalConnectException when that does not succeed
   */
  @SuppressWarnings("BanJNDI") // no name is looked up: the stub came through the socket, filtered
  public static LocalConnection open(Path path) throws LocalConnectException {
    try {
      RMIServer stub = stub(path);
      // Without the client's heartbeat: a connection lives as long as one command.
      Map<String, Object> environment =
          Map.of(
              "jmx.remote.x.client.connection.check.period",
              0L,
              "jmx.remote.x.notification.fetch.timeout",
              NOTIFICATION_WAIT_MS);
      RMIConnector connector = new RMIConnector(stub, environment);
      connector.connect();
      return new LocalConnection(connector, connector.getMBeanServerConnection());
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      throw explain(path, e);
    }
  }

  /** The MBean server behind. */
  public MBeanServerConnection beans() {
    return beans;
  }

  /** The daemon. */
  public DaemonMXBean daemon() {
    return JMX.newMXBeanProxy(beans, ObjectNames.DAEMON, DaemonMXBean.class, true);
  }

  /** Guests that move. */
  public MigrationsMXBean migrations() {
    return JMX.newMXBeanProxy(beans(), ObjectNames.MIGRATIONS, MigrationsMXBean.class);
  }

  /** Sessions of APIs. */
  public SessionsMXBean sessions() {
    return JMX.newMXBeanProxy(beans(), ObjectNames.SESSIONS, SessionsMXBean.class);
  }

  /** CUDA programs of guests. */
  public ProgramsMXBean programs() {
    return JMX.newMXBeanProxy(beans(), ObjectNames.PROGRAMS, ProgramsMXBean.class);
  }

  /** A guest; whether it exists shows when it is asked. */
  public GuestMXBean guest(String name) {
    return JMX.newMXBeanProxy(beans, ObjectNames.guest(name), GuestMXBean.class);
  }

  /**
   * Hands over the daemon's notifications as they come, on a thread of the connection.
   *
   * @param listener gets each of them
   * @param lost runs once when the connection breaks; none come any more
   */
  public void listen(Consumer<Notification> listener, Runnable lost) throws IOException {
    connector.addConnectionNotificationListener(
        (notification, _) -> {
          if (!notification.getType().equals(JMXConnectionNotification.OPENED)) {
            lost.run();
          }
        },
        null,
        null);
    try {
      beans.addNotificationListener(
          ObjectNames.DAEMON, (notification, _) -> listener.accept(notification), null, null);
    } catch (InstanceNotFoundException e) {
      throw new IOException("the daemon is stopping", e);
    }
  }

  /** Ends the connection; that the daemon has ended it already is no failure. */
  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException _) {
      // There is nothing left to be closed.
    }
  }

  private static RMIServer stub(Path path) throws IOException, ClassNotFoundException {
    byte[] bytes;
    try (ChannelSocket socket = ChannelSocket.connect(path)) {
      bytes = LocalClientSocketFactory.greeting(socket).body();
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      in.setObjectInputFilter(STUB_FILTER);
      return (RMIServer) in.readObject();
    }
  }

  private static LocalConnectException explain(Path path, Throwable e) {
    String what = "cannot reach sluiced at " + path;
    String reason = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    if (e instanceof LocalClientSocketFactory.NotPermittedException) {
      return permission(
          what,
          "the daemon refuses you: " + e.getMessage(),
          "run as one of those, or set daemon.control-group",
          e);
    }
    if (reason.contains("permission denied")) {
      return permission(
          what,
          "permission denied on the socket or a directory above it",
          "run as the daemon's user or root, or join its daemon.control-group",
          e);
    }
    if (path.toString().isEmpty()) {
      return unreachable(
          ErrorCode.CONTROL_MISSING,
          "cannot reach sluiced",
          "the path of its control socket is empty",
          "name it with --socket or SLUICE_SOCKET, or leave both out",
          e);
    }
    if (!Files.exists(path)) {
      return unreachable(
          ErrorCode.CONTROL_MISSING,
          what,
          "there is no such socket",
          "start the daemon, or name its socket with --socket or SLUICE_SOCKET",
          e);
    }
    if (!isSocket(path)) {
      return unreachable(
          ErrorCode.CONTROL_MISSING,
          what,
          (Files.isDirectory(path) ? "that is a directory" : "that is a file") + ", not a socket",
          "name the daemon's socket with --socket or SLUICE_SOCKET",
          e);
    }
    if (reason.contains("connection refused")) {
      return unreachable(
          ErrorCode.CONTROL_REFUSED,
          what,
          "nobody listens on it: the daemon is stopped or was killed",
          "start the daemon",
          e);
    }
    return unreachable(
        ErrorCode.CONTROL_GARBLED,
        what,
        "it does not answer as a daemon of this version would: " + e.getMessage(),
        "check that the socket belongs to sluiced and that both programs have one version",
        e);
  }

  /** What is neither file nor directory may be one. */
  private static boolean isSocket(Path path) {
    return !Files.isRegularFile(path) && !Files.isDirectory(path);
  }

  private static LocalConnectException permission(
      String what, String cause, String fix, Throwable e) {
    return new LocalConnectException(
        Problem.of(ErrorCode.CONTROL_PERMISSION, what, cause, fix), true, e);
  }

  private static LocalConnectException unreachable(
      ErrorCode code, String what, String cause, String fix, Throwable e) {
    return new LocalConnectException(Problem.of(code, what, cause, fix), false, e);
  }
}
