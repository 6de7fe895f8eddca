package io.sluice.migrate.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QmpClientTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofMillis(50);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  @TempDir private Path directory;
  private final BlockingQueue<QmpEvent> events = new LinkedBlockingQueue<>();

  private Path socket() {
    return directory.resolve("qmp");
  }

  private QmpClient connect() {
    return connect(events::add, PATIENCE);
  }

  private QmpClient connect(Consumer<QmpEvent> onEvent, Duration timeout) {
    return QmpClient.connect(socket(), THREADS, onEvent, timeout);
  }

  private ScriptedMonitor monitor(ScriptedMonitor.Script script) throws IOException {
    return new ScriptedMonitor(socket(), script);
  }

  @Test
  void connect_nobodyListens_isRefusedWithTheSocket() {
    assertThatThrownBy(this::connect)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-QMP-001")
        .hasMessageContaining(socket().toString());
  }

  @Test
  void connect_noGreeting_givesUpInTime() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (ScriptedMonitor _ = monitor(_ -> await(end))) {
      assertThatThrownBy(() -> connect(events::add, SOON)).hasMessageContaining("SLU-QMP-001");
      end.countDown();
    }
  }

  /** QEMU serves one client, which would be this one for good. */
  @Test
  void connect_noThreadIsLeft_letsTheMonitorGo() throws Exception {
    ThreadFactory none =
        _ -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket()));
      assertThatThrownBy(() -> QmpClient.connect(socket(), none, events::add, PATIENCE))
          .isInstanceOf(OutOfMemoryError.class);
      try (SocketChannel monitor = listener.accept()) {
        monitor.configureBlocking(false);
        assertThat(monitor.read(ByteBuffer.allocate(1))).isNegative();
      }
    }
  }

  @Test
  void connect_anotherProtocol_isRefused() throws Exception {
    try (ScriptedMonitor _ = monitor(with -> with.say("{\"hello\": 1}"))) {
      assertThatThrownBy(this::connect).hasMessageContaining("SLU-QMP-005");
    }
  }

  @Test
  void version_greeted_isQemus() throws Exception {
    String greeting = ScriptedMonitor.GREETING.replace("11}", "11, \"minor\": 1, \"micro\": 2}");
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.say(greeting);
              with.answer("{}");
            });
        QmpClient client = connect()) {
      assertThat(client.version()).isEqualTo("11.1.2");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no json",
        "[]",
        "{\"return\": {}",
        "{} {}",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": \"\u0001\"}",
      })
  void execute_answerIsNoObject_endsTheConnection(String answer) throws Exception {
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              JsonObject _ = with.hear();
              with.say(answer);
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("query-status", PATIENCE))
          .hasMessageContaining("SLU-QMP-005");
      assertThat(client.isOpen()).isFalse();
    }
  }

  @Test
  void execute_answerIsTooDeep_endsTheConnection() throws Exception {
    String deep = "{\"a\": ".repeat(40) + "1" + "}".repeat(40);
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              JsonObject _ = with.hear();
              with.say(deep);
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("query-status", PATIENCE))
          .hasMessageContaining("SLU-QMP-005");
    }
  }

  @Test
  void execute_answerHasNoEnd_isCutAtTheLimit() throws Exception {
    byte[] endless = "x".repeat(1 << 16).getBytes(StandardCharsets.US_ASCII);
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              while (true) {
                with.sayRaw(endless);
              }
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("query-status", PATIENCE))
          .hasMessageContaining("SLU-QMP-005")
          .hasMessageContaining("bytes");
    }
  }

  @Test
  void execute_error_isTheReason() throws Exception {
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              String id = with.hear().text("id").orElseThrow();
              with.say(
                  "{\"id\": \""
                      + id
                      + "\", \"error\": {\"class\": \"GenericError\", \"desc\": \"no way\"}}");
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("migrate", Map.of("uri", "x"), PATIENCE))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("no way")
          .hasMessageContaining("SLU-QMP-004");
    }
  }

  @Test
  void execute_noAnswer_timesOutAndALateOneIsDropped() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              String id = with.hear().text("id").orElseThrow();
              await(late);
              with.say("{\"return\": {\"status\": \"late\"}, \"id\": \"" + id + "\"}");
              JsonObject _ = with.answer("{\"status\": \"running\"}");
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("query-status", SOON))
          .hasMessageContaining("SLU-QMP-003");
      late.countDown();
      assertThat(client.execute("query-status", PATIENCE).text("status")).contains("running");
    }
  }

  @Test
  void execute_monitorGoesAway_whoWaitsIsTold() throws Exception {
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              JsonObject _ = with.hear();
            });
        QmpClient client = connect()) {
      assertThatThrownBy(() -> client.execute("stop", PATIENCE))
          .hasMessageContaining("SLU-QMP-002");
      assertThat(events.take().name()).isEqualTo(QmpClient.ENDED);
      assertThatThrownBy(() -> client.execute("stop", PATIENCE))
          .hasMessageContaining("SLU-QMP-002");
    }
  }

  @Test
  void execute_answersCrossed_eachGetsItsOwn() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              JsonObject hung = with.hear();
              hangs.countDown();
              JsonObject urgent = with.hear();
              String yank = urgent.text("exec-oob").orElse("");
              with.say("{\"return\": {\"was\": \"" + yank + "\"}, \"id\": \"" + id(urgent) + "\"}");
              with.say("{\"return\": {\"was\": \"hung\"}, \"id\": \"" + id(hung) + "\"}");
            });
        QmpClient client = connect()) {
      BlockingQueue<JsonObject> first = new LinkedBlockingQueue<>();
      Thread other =
          Thread.ofPlatform().start(() -> first.add(client.execute("query-migrate", PATIENCE)));
      hangs.await();
      assertThat(client.executeOutOfBand("yank", Map.of(), PATIENCE).text("was")).contains("yank");
      assertThat(first.take().text("was")).contains("hung");
      other.join();
    }
  }

  @Test
  void events_betweenAnswers_areTold() throws Exception {
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              with.say("{\"timestamp\": {\"seconds\": 1}, \"event\": \"STOP\"}");
              with.say(
                  "{\"event\": \"MIGRATION\", \"data\": {\"status\": \"active\", \"x\": null}}");
              JsonObject _ = with.answer("{}");
            });
        QmpClient client = connect()) {
      JsonObject _ = client.execute("stop", PATIENCE);
      assertThat(events.take().name()).isEqualTo("STOP");
      assertThat(events.take().data().text("status")).contains("active");
    }
  }

  @Test
  void execute_numbers_areWholeWhereTheyAre() throws Exception {
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              JsonObject _ = with.answer("{\"a\": 9007199254740993, \"b\": 1.5, \"c\": 1e30}");
            });
        QmpClient client = connect()) {
      JsonObject numbers = client.execute("query-migrate", PATIENCE);
      assertThat(numbers.number("a")).hasValue(9007199254740993L);
      assertThat(numbers.number("b")).isEmpty();
      assertThat(numbers.number("c")).isEmpty();
    }
  }

  @Test
  void execute_arguments_arriveAsTheyAre() throws Exception {
    BlockingQueue<JsonObject> heard = new LinkedBlockingQueue<>();
    try (ScriptedMonitor _ =
            monitor(with -> {
              with.negotiate();
              heard.add(with.answer("\"text\""));
            });
        QmpClient client = connect()) {
      assertThat(client.human("info \"pci\"", PATIENCE)).isEqualTo("text");
      JsonObject arguments = heard.take().object("arguments").orElseThrow();
      assertThat(arguments.text("command-line")).contains("info \"pci\"");
    }
  }

  @Test
  void close_whileSomebodyWaits_endsTheWait() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (ScriptedMonitor _ =
        monitor(with -> {
          with.negotiate();
          JsonObject _ = with.hear();
          asked.countDown();
          await(end);
        })) {
      QmpClient client = connect();
      Thread closer =
          Thread.ofPlatform()
              .start(() -> {
                await(asked);
                client.close();
              });
      assertThatThrownBy(() -> client.execute("stop", PATIENCE))
          .hasMessageContaining("SLU-QMP-002");
      closer.join();
      end.countDown();
    }
  }

  private static String id(JsonObject command) {
    return command.text("id").orElseThrow();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
