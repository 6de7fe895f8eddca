package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.sluicectl.Ctl.Run;
import io.sluice.testbed.checks.LeakCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the program prints of a daemon's notifications. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class MonitorCommandTest {
  private static final long TIME_MS = 1_767_323_045_678L;

  private static final Notification CREATED =
      event(1, NotificationTypes.GUEST_CREATED, "web-01", null);
  private static final Notification QUOTA =
      event(7, "io.sluice.quota.exceeded", "web-01\n", data());

  @TempDir private Path dir;
  private final FakeDaemon daemon = new FakeDaemon();

  @SuppressWarnings("NullAway.Init")
  private LocalConnectorServer server;

  @BeforeEach
  void serve() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    beans.registerMBean(daemon, ObjectNames.DAEMON);
    server = LocalConnectorServer.start(dir.resolve("control"), PeerPolicy.owner(), beans);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void monitor_theDaemonGoes_exits3() throws Exception {
    FutureTask<Run> running = start("monitor");
    daemon.awaitListener();
    server.close();

    assertThat(running.get().code()).isEqualTo(3);
    assertThat(running.get().err()).contains("[SLU-CTL-005]");
  }

  @Test
  void monitor_event_isALine() throws Exception {
    Run run = tellUntilDone(start("monitor", "--count", "1"), CREATED);

    assertThat(run)
        .isEqualTo(new Run(0, "2026-01-02T03:04:05.678Z  guest.created       web-01\n", ""));
  }

  /** U+009B begins a command of an 8-bit terminal, U+202E turns what follows. */
  @Test
  void monitor_messageThatActsOnTerminals_isHarmless() throws Exception {
    Notification hostile =
        event(3, NotificationTypes.GUEST_CREATED, "web\u009b2J\u202e\u001b[31m-01", null);
    Run run = tellUntilDone(start("monitor", "--count", "1"), hostile);

    assertThat(run.out()).endsWith("  web 2J  [31m-01\n");
  }

  @Test
  void monitor_oneType_leavesOutTheOthers() throws Exception {
    Run run =
        tellUntilDone(start("monitor", "--type", "quota,daemon", "--count", "2"), CREATED, QUOTA);

    assertThat(run.out().lines())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("quota.exceeded"));
  }

  @Test
  void monitor_json_hasTheDataToo() throws Exception {
    Run run = tellUntilDone(start("monitor", "--format", "json", "--count", "1"), QUOTA);

    assertThat(run.out())
        .isEqualTo(
            "{\"schemaVersion\":1,\"timeMs\":1767323045678,\"sequence\":7,"
                + "\"type\":\"io.sluice.quota.exceeded\",\"message\":\"web-01\\n\","
                + "\"data\":{\"bytes\":5,\"guest\":\"web-01\"}}\n");
  }

  private FutureTask<Run> start(String... arguments) {
    FutureTask<Run> running =
        new FutureTask<>(() -> new Ctl(dir.resolve("control")).run(arguments));
    Thread.ofPlatform().start(running);
    return running;
  }

  /** Events from before the program listens are nobody's: sends them until it has seen enough. */
  private Run tellUntilDone(FutureTask<Run> running, Notification... events) throws Exception {
    await()
        .until(() -> {
          List.of(events).forEach(daemon::sendNotification);
          return running.isDone();
        });
    return running.get();
  }

  private static Notification event(
      long sequence, String type, String message, @Nullable Object data) {
    Notification event = new Notification(type, ObjectNames.DAEMON, sequence, TIME_MS, message);
    event.setUserData(data);
    return event;
  }

  private static CompositeData data() {
    try {
      CompositeType type =
          new CompositeType(
              "t",
              "t",
              new String[] {"bytes", "guest"},
              new String[] {"b", "g"},
              new OpenType<?>[] {SimpleType.LONG, SimpleType.STRING});
      return new CompositeDataSupport(type, Map.of("bytes", 5L, "guest", "web-01"));
    } catch (OpenDataException e) {
      throw new AssertionError(e);
    }
  }
}
