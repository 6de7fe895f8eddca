package io.sluice.daemon.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.SluicedInstance;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.local.LocalConnection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.MBeanException;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of the log about those who were refused. */
final class RefusedCallersTest {
  static {
    // RMI keeps a client's connections 15 s for reuse; read once, when RMI is first used.
    System.setProperty("sun.rmi.transport.connectionTimeout", "100");
  }

  private final Logger log = (Logger) org.slf4j.LoggerFactory.getLogger(RefusedCallers.class);
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final AtomicLong clock = new AtomicLong();
  private final RefusedCallers refused = new RefusedCallers(clock::get);

  @BeforeEach
  void listen() {
    said.start();
    log.setLevel(Level.WARN);
    log.addAppender(said);
  }

  @AfterEach
  void leave() {
    log.detachAppender(said);
    log.setLevel(null);
  }

  private static List<String> pairs(ILoggingEvent event) {
    return event.getKeyValuePairs().stream().map(pair -> pair.key + "=" + pair.value).toList();
  }

  @Test
  void operation_thatABeanRefused_isOneLineWithTheCauseAlone() throws Exception {
    refused.operationRefused(
        new ObjectName("io.sluice:type=Daemon"),
        "createGuest",
        new MBeanException(new OperationsException("SLU-GUEST-003: no name\nfix: another")));

    assertThat(said.list)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getFormattedMessage())
              .isEqualTo("refused: SLU-GUEST-003: no name fix: another");
          assertThat(pairs(event))
              .containsExactly(
                  "event=refused-operation",
                  "by=itself",
                  "leftOut=0",
                  "operation=createGuest",
                  "bean=io.sluice:type=Daemon");
        });
  }

  @Test
  void operation_withAReasonOfAMegabyte_isShortened() {
    refused.operationRefused(null, "x".repeat(1 << 20), new SecurityException("y".repeat(1 << 20)));

    assertThat(said.list)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getFormattedMessage()).hasSizeLessThan(500);
          assertThat(pairs(event)).allSatisfy(pair -> assertThat(pair).hasSizeLessThan(500));
        });
  }

  @Test
  void operations_thatAreRefusedWithoutEnd_areCounted() {
    for (int i = 0; i < 1000; i++) {
      refused.operationRefused(null, "invoke", new SecurityException("no"));
    }
    assertThat(said.list).hasSize(RefusedCallers.BURST);

    clock.addAndGet(RefusedCallers.INTERVAL.toNanos());
    refused.operationRefused(null, "invoke", new SecurityException());

    assertThat(said.list).hasSize(RefusedCallers.BURST + 1);
    assertThat(pairs(said.list.getLast())).contains("leftOut=" + (1000 - RefusedCallers.BURST));
    assertThat(said.list.getLast().getFormattedMessage()).endsWith("SecurityException");
  }

  @Test
  void operation_refusedOverTheSocket_isLoggedWithWhoAsked(@TempDir Path dir) throws Exception {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "daemon.run-dir", dir.resolve("run").toString(),
                "daemon.state-dir", dir.resolve("state").toString()));
    try (SluicedInstance daemon =
            SluicedInstance.start(
                config, RealKernel.create(), MBeanServerFactory.newMBeanServer());
        LocalConnection connection = LocalConnection.open(daemon.controlSocket())) {
      DaemonMXBean bean = connection.daemon();
      assertThatThrownBy(() -> bean.createGuest("a b", "", 0))
          .isInstanceOf(OperationsException.class);
      assertThat(bean.getGuests()).isEmpty();
    }

    assertThat(said.list)
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getFormattedMessage()).contains("SLU-GUEST-003");
          assertThat(pairs(event))
              .contains("by=" + System.getProperty("user.name"), "operation=createGuest");
        });
  }
}
