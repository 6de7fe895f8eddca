package io.sluice.daemon.migration;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The monitor of a QEMU that has migrated: knows what a daemon asks one that was left behind. */
final class FakeMonitor implements AutoCloseable {
  private static final String GREETING =
      "{\"QMP\": {\"version\": {\"qemu\": {\"major\": 11}}, \"capabilities\": [\"oob\"]}}";
  private static final Pattern COMMAND = Pattern.compile("\"execute\" *: *\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\"id\" *: *\"([^\"]*)\"");

  /** What changes the machine's state, in the order it was told. */
  final List<String> told = new CopyOnWriteArrayList<>();

  private final ServerSocketChannel listener;
  private final Thread thread;
  private volatile String runState;
  private volatile String migration;
  private volatile String parameters = "{}";

  FakeMonitor(Path path, String runState, String migration) throws IOException {
    this.runState = runState;
    this.migration = migration;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(path));
    thread = Thread.ofPlatform().daemon().start(this::serve);
  }

  private void serve() {
    while (listener.isOpen()) {
      try (SocketChannel socket = listener.accept()) {
        say(socket, GREETING);
        converse(socket);
      } catch (IOException | UncheckedIOException _) {
        // The client has gone, or the test has ended.
      }
    }
  }

  private void converse(SocketChannel socket) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(Channels.newInputStream(socket), StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer = answer(find(COMMAND, line));
      say(socket, "{\"return\": " + answer + ", \"id\": \"" + find(ID, line) + "\"}");
    }
  }

  private String answer(String command) {
    switch (command) {
      case "query-status" -> {
        return "{\"status\": \"" + runState + "\"}";
      }
      case "query-migrate" -> {
        return "{\"status\": \"" + migration + "\"}";
      }
      case "query-migrate-parameters" -> {
        return parameters;
      }
      case "qmp_capabilities" -> {}
      default -> {
        told.add(command);
        switch (command) {
          case "cont" -> runState = "running";
          case "migrate_cancel" -> migration = "cancelled";
          default -> {}
        }
      }
    }
    return "{}";
  }

  /** The machine is elsewhere in its migration now. */
  void become(String newRunState, String newMigration) {
    runState = newRunState;
    migration = newMigration;
  }

  /** A former daemon holds it back. */
  void heldBack() {
    parameters = "{\"max-bandwidth\": 1000, \"downtime-limit\": 1}";
  }

  private static String find(Pattern pattern, String line) throws IOException {
    Matcher matcher = pattern.matcher(line);
    if (!matcher.find()) {
      throw new IOException("no command: " + line);
    }
    return matcher.group(1);
  }

  private static void say(SocketChannel socket, String line) throws IOException {
    ByteBuffer out = ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    while (out.hasRemaining()) {
      int _ = socket.write(out);
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    listener.close();
    thread.join();
  }
}
