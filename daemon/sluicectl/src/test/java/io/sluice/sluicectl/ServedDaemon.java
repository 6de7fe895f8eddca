package io.sluice.sluicectl;

import io.sluice.management.ObjectNames;
import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.testbed.checks.LeakCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that always looks the same, behind the real transport, for each test of a class. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
abstract class ServedDaemon {
  @TempDir Path dir;
  final MBeanServer beans = MBeanServerFactory.newMBeanServer();
  final FakeDaemon daemon = new FakeDaemon();
  final FakeMigrations migrations = new FakeMigrations("web-01");
  final FakeSessions sessions = new FakeSessions(daemon.asked());

  @SuppressWarnings("NullAway.Init")
  Ctl ctl;

  @SuppressWarnings("NullAway.Init")
  LocalConnectorServer server;

  @BeforeEach
  void serve() throws Exception {
    beans.registerMBean(daemon, ObjectNames.DAEMON);
    for (String name : List.of("web-01", "ml-02")) {
      beans.registerMBean(
          new FakeDaemon.FakeGuest(
              Objects.requireNonNull(daemon.getGuests().get(name)), daemon.asked()),
          ObjectNames.guest(name));
    }
    beans.registerMBean(migrations, ObjectNames.MIGRATIONS);
    beans.registerMBean(sessions, ObjectNames.SESSIONS);
    beans.registerMBean(new FakePrograms(daemon.asked()), ObjectNames.PROGRAMS);
    Path socket = dir.resolve("control");
    server = LocalConnectorServer.start(socket, PeerPolicy.owner(), beans);
    ctl = new Ctl(socket);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }
}
