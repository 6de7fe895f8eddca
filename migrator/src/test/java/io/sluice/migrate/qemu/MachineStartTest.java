package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.qmp.QemuMachine;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that is frozen when it is to go on at the destination. */
final class MachineStartTest {
  private static final Pattern ID = Pattern.compile("\"id\": ?\"([^\"]*)\"");
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  private final List<RefusedException> notYet = new ArrayList<>();
  private final AtomicInteger asked = new AtomicInteger();

  private static RefusedException silent() {
    return new RefusedException("SLU-TEST-001", Errno.ETIMEDOUT, "no answer", "");
  }

  private void answerAfter(int times) {
    if (asked.incrementAndGet() <= times) {
      throw silent();
    }
  }

  @Test
  void insist_answeredAtOnce_asksOnce() {
    MachineStart.insist(() -> answerAfter(0), notYet::add);
    assertThat(asked).hasValue(1);
    assertThat(notYet).isEmpty();
  }

  @Test
  void insist_frozenForAWhile_asksUntilItAnswers() {
    MachineStart.insist(() -> answerAfter(7), notYet::add);
    assertThat(asked).hasValue(8);
    assertThat(notYet).hasSize(7);
  }

  @Test
  void insist_frozenForGood_saysSoInTheEnd() {
    assertThatThrownBy(() -> MachineStart.insist(() -> answerAfter(Integer.MAX_VALUE), notYet::add))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no answer");
    assertThat(asked).hasValue(MachineStart.ATTEMPTS);
  }

  @Test
  void insist_refused_isNotAskedAgain() {
    Runnable refusing =
        () -> {
          int _ = asked.incrementAndGet();
          throw new RefusedException("SLU-TEST-002", Errno.EIO, "never", "");
        };
    assertThatThrownBy(() -> MachineStart.insist(refusing, notYet::add))
        .hasMessageContaining("never");
    assertThat(asked).hasValue(1);
    assertThat(notYet).isEmpty();
  }

  @Test
  void insist_noMemoryForAMoment_asksAgain() {
    Runnable full =
        () -> {
          if (asked.incrementAndGet() <= 2) {
            throw new OutOfMemoryError("by the test");
          }
        };
    MachineStart.insist(full, notYet::add);
    assertThat(asked).hasValue(3);
  }

  @Test
  void worker_taskThatMeetsAnError_isToldAndTheNextIsDone() throws Exception {
    CountDownLatch next = new CountDownLatch(1);
    List<SluiceException> told = new ArrayList<>();
    try (Worker worker = new Worker("test", THREADS, told::add)) {
      worker.submit(() -> {
        throw new OutOfMemoryError("by the test");
      });
      worker.submit(next::countDown);
      assertThat(next.await(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(told).hasSize(1).first().extracting(SluiceException::code).isEqualTo("SLU-MIG-029");
  }

  /** A monitor that swallows {@code cont} twice, as that of a stopped process does. */
  @Test
  void insist_monitorThatSwallowsCommands_goesOnWithTheThird(@TempDir Path directory)
      throws Exception {
    Path path = directory.resolve("qmp");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(path));
      Thread monitor = THREADS.newThread(() -> serve(listener));
      monitor.start();
      try (QemuMachine machine = QemuMachine.connect(path, THREADS, Duration.ofSeconds(4))) {
        MachineStart.insist(machine::resume, notYet::add);
      }
      monitor.join();
      assertThat(asked.get()).isGreaterThanOrEqualTo(3);
      assertThat(notYet).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  private void serve(ServerSocketChannel listener) {
    try (SocketChannel socket = listener.accept();
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(Channels.newInputStream(socket), StandardCharsets.UTF_8))) {
      say(socket, "{\"QMP\": {\"version\": {}, \"capabilities\": [\"oob\"]}}");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        boolean swallowed = line.contains("\"cont\"") && asked.incrementAndGet() <= 2;
        Matcher id = ID.matcher(line);
        if (!swallowed && id.find()) {
          say(socket, "{\"return\": {}, \"id\": \"" + id.group(1) + "\"}");
        }
      }
    } catch (IOException _) {
      // The client went away: what the test is about shows there.
    }
  }

  private static void say(SocketChannel socket, String line) throws IOException {
    ByteBuffer out = ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    while (out.hasRemaining()) {
      int _ = socket.write(out);
    }
  }
}
