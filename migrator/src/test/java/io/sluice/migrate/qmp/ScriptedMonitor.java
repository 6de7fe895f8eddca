package io.sluice.migrate.qmp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The other end of a {@link QmpClient}: says what the test has it say. */
final class ScriptedMonitor implements AutoCloseable {
  static final String GREETING =
      "{\"QMP\": {\"version\": {\"qemu\": {\"major\": 11}}, \"capabilities\": [\"oob\"]}}";

  /** What the monitor does with one connection. */
  @FunctionalInterface
  interface Script {
    void run(Conversation with) throws IOException;
  }

  /** One connection: lines out, lines in. */
  static final class Conversation {
    private final SocketChannel socket;
    private final BufferedReader in;

    Conversation(SocketChannel socket) {
      this.socket = socket;
      in =
          new BufferedReader(
              new InputStreamReader(Channels.newInputStream(socket), StandardCharsets.UTF_8));
    }

    void say(String line) throws IOException {
      sayRaw((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    void sayRaw(byte[] bytes) throws IOException {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      while (out.hasRemaining()) {
        int _ = socket.write(out);
      }
    }

    /** The next command; null when the client is gone. */
    JsonObject hear() throws IOException {
      String line = in.readLine();
      if (line == null) {
        throw new IOException("the client is gone");
      }
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      return JsonText.parse(bytes, bytes.length).orElseThrow();
    }

    /** Answers the next command, whatever it is. */
    JsonObject answer(String result) throws IOException {
      JsonObject command = hear();
      say("{\"return\": " + result + ", \"id\": \"" + command.text("id").orElseThrow() + "\"}");
      return command;
    }

    void negotiate() throws IOException {
      say(GREETING);
      JsonObject _ = answer("{}");
    }
  }

  private final ServerSocketChannel listener;
  private final Thread thread;

  ScriptedMonitor(Path path, Script script) throws IOException {
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(path));
    thread =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try (SocketChannel socket = listener.accept()) {
                script.run(new Conversation(socket));
              } catch (IOException _) {
                // The client went away: what a test is about shows at the client.
              }
            });
  }

  @Override
  public void close() throws Exception {
    listener.close();
    thread.join();
  }
}
