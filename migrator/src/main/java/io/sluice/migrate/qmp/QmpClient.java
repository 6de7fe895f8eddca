package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to QEMU's monitor (QMP, docs/interop/qmp-spec.rst of QEMU) at a UNIX socket.
 *
 * <p>Commands wait for their reply and may be given by any thread; one thread of this object
 * receives. Commands given {@linkplain #executeOutOfBand out of band} overtake one that hangs: that
 * is how a migration is cut off whose peer is frozen.
 *
 * <p>QEMU serves one connection at a time at a socket, so whoever uses this class has the machine's
 * monitor for as long as it is open.
 */
public final class QmpClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QmpClient.class);

  /** Commands that wait for an answer at one time. */
  private static final int MAX_PENDING = 64;

  private final String socketName;
  private final SocketChannel socket;
  private final Consumer<QmpEvent> onEvent;
  private final ReentrantLock sending = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Map<String, Pending> pending = new HashMap<>();

  @GuardedBy("lock")
  private @Nullable JsonObject greeting;

  @GuardedBy("lock")
  private long lastId;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private @Nullable String protocolError; // what was wrong with the stream

  private static final class Pending {
    @Nullable JsonObject reply;
  }

  private QmpClient(Path path, SocketChannel socket, Consumer<QmpEvent> onEvent) {
    this.socketName = path.toString();
    this.socket = socket;
    this.onEvent = onEvent;
  }

  /**
   * Connects and negotiates.
   *
   * @param threads makes the thread that receives
   * @param onEvent told of events, and of the connection's end as an event {@link #ENDED}; by the
   *     receiving thread, so it must not give commands
   * @param timeout for the connection's beginning
   * @throws RefusedException nobody is there, or no QEMU
   */
  public static QmpClient connect(
      Path path, ThreadFactory threads, Consumer<QmpEvent> onEvent, Duration timeout) {
    SocketChannel socket;
    try {
      socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    } catch (IOException e) {
      throw QmpFailure.unreachable(path.toString(), String.valueOf(e.getMessage()));
    }
    QmpClient client = new QmpClient(path, socket, onEvent);
    try {
      socket.connect(UnixDomainSocketAddress.of(path));
      Thread receiver = threads.newThread(client::receive);
      receiver.setName("sluice-qmp");
      receiver.start();
      client.negotiate(timeout);
      return client;
    } catch (IOException e) {
      client.close();
      throw Files.exists(path) && !Files.isWritable(path)
          ? QmpFailure.denied(path.toString())
          : QmpFailure.unreachable(path.toString(), String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      client.close();
      throw e;
    }
  }

  /** Name of the event that says that the connection has ended. */
  public static final String ENDED = "SLUICE_QMP_ENDED";

  private void negotiate(Duration timeout) {
    JsonObject hello = awaitGreeting(timeout);
    if (!hello.has("QMP")) {
      throw QmpFailure.strange(socketName, "its greeting is not QMP's");
    }
    JsonObject _ = execute("qmp_capabilities", Map.of("enable", List.of("oob")), timeout);
  }

  private JsonObject awaitGreeting(Duration timeout) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (greeting == null && !ended) {
        if (left <= 0) {
          throw QmpFailure.held(socketName);
        }
        left = changed.awaitNanos(left);
      }
      if (greeting == null) {
        throw end();
      }
      return greeting;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw QmpFailure.timeout(socketName, "greeting");
    } finally {
      lock.unlock();
    }
  }

  /** The version that the greeting told, such as {@code 11.1.2}; before, and of others, empty. */
  public String version() {
    lock.lock();
    try {
      JsonObject hello = greeting;
      return hello == null
          ? ""
          : hello
              .object("QMP")
              .flatMap(qmp -> qmp.object("version"))
              .flatMap(version -> version.object("qemu"))
              .map(QmpClient::version)
              .orElse("");
    } finally {
      lock.unlock();
    }
  }

  private static String version(JsonObject numbers) {
    return numbers.number("major").orElse(0)
        + "."
        + numbers.number("minor").orElse(0)
        + "."
        + numbers.number("micro").orElse(0);
  }

  /** A command without arguments. */
  public JsonObject execute(String command, Duration timeout) {
    return execute(command, Map.of(), timeout);
  }

  /**
   * Has a command executed.
   *
   * @param arguments values are String, Long, Integer, Boolean, or a map or list of these
   * @return what it returned; without members when that is no object
   * @throws RefusedException QEMU's error, no answer in time, or no connection
   */
  public JsonObject execute(String command, Map<String, ?> arguments, Duration timeout) {
    return request("execute", command, arguments, timeout)
        .object("return")
        .orElse(JsonObject.EMPTY);
  }

  /** The same with a list of objects as its result. */
  public List<JsonObject> executeForList(
      String command, Map<String, ?> arguments, Duration timeout) {
    return request("execute", command, arguments, timeout).objects("return");
  }

  /** Has a command executed that overtakes all others; QEMU has few such commands. */
  public JsonObject executeOutOfBand(String command, Map<String, ?> arguments, Duration timeout) {
    return request("exec-oob", command, arguments, timeout)
        .object("return")
        .orElse(JsonObject.EMPTY);
  }

  /** What a command of the human monitor prints. */
  public String human(String commandLine, Duration timeout) {
    return request("execute", "human-monitor-command", Map.of("command-line", commandLine), timeout)
        .text("return")
        .orElse("");
  }

  private JsonObject request(
      String how, String command, Map<String, ?> arguments, Duration timeout) {
    Pending mine = new Pending();
    String id = begin(mine);
    try {
      ImmutableMap.Builder<String, Object> message = ImmutableMap.builder();
      message.put(how, command);
      if (!arguments.isEmpty()) {
        message.put("arguments", arguments);
      }
      message.put("id", id);
      send(JsonText.write(message.buildOrThrow()));
      JsonObject reply = await(mine, command, timeout);
      Optional<JsonObject> error = reply.object("error");
      if (error.isPresent()) {
        throw QmpFailure.refused(command, error.get());
      }
      return reply;
    } finally {
      forget(id);
    }
  }

  private String begin(Pending mine) {
    lock.lock();
    try {
      if (ended) {
        throw end();
      }
      if (pending.size() >= MAX_PENDING) {
        throw QmpFailure.strange(socketName, "too many commands wait, limit=" + MAX_PENDING);
      }
      String id = Long.toString(++lastId);
      pending.put(id, mine);
      return id;
    } finally {
      lock.unlock();
    }
  }

  private void forget(String id) {
    lock.lock();
    try {
      pending.remove(id);
    } finally {
      lock.unlock();
    }
  }

  private JsonObject await(Pending mine, String command, Duration timeout) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (mine.reply == null) {
        if (ended) {
          throw end();
        }
        if (left <= 0) {
          throw QmpFailure.timeout(socketName, command);
        }
        left = changed.awaitNanos(left);
      }
      return mine.reply;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw QmpFailure.timeout(socketName, command);
    } finally {
      lock.unlock();
    }
  }

  /** Why nothing can be asked any more. */
  @GuardedBy("lock")
  private RefusedException end() {
    return protocolError == null
        ? QmpFailure.lost(socketName)
        : QmpFailure.strange(socketName, protocolError);
  }

  private void send(String line) {
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    sending.lock();
    try {
      while (bytes.hasRemaining()) {
        int _ = socket.write(bytes);
      }
    } catch (IOException _) {
      throw QmpFailure.lost(socketName);
    } finally {
      sending.unlock();
    }
  }

  // ---- receiving ----

  private void receive() {
    String wrong = null;
    try {
      LineReader lines = new LineReader(socket, JsonText.MAX_LINE_BYTES);
      while (wrong == null && lines.next()) {
        Optional<JsonObject> message = JsonText.parse(lines.bytes(), lines.length());
        if (message.isPresent()) {
          take(message.get());
        } else {
          wrong = "a line that is no JSON object";
        }
      }
      if (lines.isTooLong()) {
        wrong = "a line of more than " + JsonText.MAX_LINE_BYTES + " bytes";
      }
    } catch (IOException e) {
      LOG.atDebug().addKeyValue("socket", socketName).log("QMP connection lost", e);
    } finally {
      finish(wrong);
    }
  }

  private void take(JsonObject message) {
    Optional<String> event = message.text("event");
    if (event.isPresent()) {
      onEvent.accept(new QmpEvent(event.get(), message.object("data").orElse(JsonObject.EMPTY)));
      return;
    }
    lock.lock();
    try {
      if (greeting == null) {
        greeting = message;
      } else {
        Pending waiting = pending.get(message.text("id").orElse(""));
        if (waiting != null) { // else it gave up
          waiting.reply = message;
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void finish(@Nullable String wrong) {
    lock.lock();
    try {
      ended = true;
      protocolError = wrong;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    closeSocket();
    onEvent.accept(new QmpEvent(ENDED, JsonObject.EMPTY));
  }

  /** Whether QEMU can still be asked. */
  public boolean isOpen() {
    lock.lock();
    try {
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection; whoever waits is told. The machine goes on as it is. */
  @Override
  public void close() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    closeSocket();
  }

  private void closeSocket() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.atDebug().addKeyValue("socket", socketName).log("QMP socket", e);
    }
  }
}
