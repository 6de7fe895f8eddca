package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.Guest;
import io.sluice.channel.GuestListener;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.GuestSource;
import io.sluice.vdevice.machine.PciAddress;
import io.sluice.vdevice.machine.QemuMachine;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine is told whose migration is given up. */
final class QemuSourceTest {
  private static final Pattern COMMAND = Pattern.compile("\"execute\": ?\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\"id\": ?\"([^\"]*)\"");
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String BEGUN = "migrate";

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final CountDownLatch begun = new CountDownLatch(1);

  @Test
  void abort_heldBack_givesQemuItsLimitsBack(@TempDir Path directory) throws Exception {
    Path path = directory.resolve("qmp");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(path));
      Thread monitor = THREADS.newThread(() -> serve(listener));
      monitor.start();
      try (GuestDevice device =
              new GuestDevice(
                  "web", directory.resolve("web"), RealKernel.create(), new Nobody(), THREADS);
          QemuSource source =
              new QemuSource(
                  device,
                  QemuMachine.connect(path, THREADS, PATIENCE),
                  new DirectTransport(directory.resolve("in")),
                  new QemuSource.Settings(70_000_000, Duration.ofMillis(250), PATIENCE),
                  THREADS,
                  new PciAddress(0, 1, 0))) {
        source.start(new DirectTransport(directory.resolve("in")).address());
        begun.await();
        source.holdBack();
        source.abort();
      }
      monitor.join();
    }
    assertThat(lines.getLast())
        .contains("\"migrate-set-parameters\"")
        .containsPattern("\"max-bandwidth\": ?70000000\\b")
        .containsPattern("\"avail-switchover-bandwidth\": ?70000000\\b")
        .containsPattern("\"downtime-limit\": ?250\\b");
    assertThat(lines).anyMatch(line -> line.contains("\"migrate_cancel\""));
  }

  private void serve(ServerSocketChannel listener) {
    try (SocketChannel socket = listener.accept();
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(Channels.newInputStream(socket), StandardCharsets.UTF_8))) {
      say(socket, "{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answer(socket, line);
      }
    } catch (IOException _) {
      // The client went away: what the test is about shows there.
    }
  }

  private void answer(SocketChannel socket, String line) throws IOException {
    String command = find(COMMAND, line);
    lines.add(line);
    String answer = command.equals("query-status") ? "{\"status\": \"running\"}" : "{}";
    say(socket, "{\"return\": " + answer + ", \"id\": \"" + find(ID, line) + "\"}");
    switch (command) {
      case BEGUN -> {
        tell(socket, "active");
        begun.countDown();
      }
      case "migrate_cancel" -> tell(socket, "cancelled");
      default -> {}
    }
  }

  private static void tell(SocketChannel socket, String status) throws IOException {
    say(
        socket,
        "{\"event\": \"MIGRATION\", \"data\": {\"status\": \""
            + status
            + "\"}, \"timestamp\": {\"seconds\": 1, \"microseconds\": 1}}");
  }

  private static String find(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? matcher.group(1) : "";
  }

  private static void say(SocketChannel socket, String line) throws IOException {
    ByteBuffer out = ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    while (out.hasRemaining()) {
      int _ = socket.write(out);
    }
  }

  /** Nobody attaches. */
  private static final class Nobody implements GuestSource {
    @Override
    public Guest open(GuestListener listener) {
      throw new AssertionError("nobody attaches");
    }

    @Override
    public void release(Guest guest) {}
  }
}
