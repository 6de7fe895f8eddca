package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.vdevice.session.MachineSessions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Words that come too late, or never become whole. In the fake kernel a receive waits for ever. The
 * machine has no memory, so that a session which is taken is refused with EFAULT.
 */
@Timeout(120)
final class ArrivingSessionsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final byte[] WORD = SessionMessages.word(SessionWordsTest.WORD);

  @TempDir private Path directory;
  private final FakeKernel fake = new FakeKernel();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch goes = new CountDownLatch(1);

  private Path socket() {
    return directory.resolve("sessions");
  }

  private static MachineSessions sessions(Kernel kernel) {
    return SessionlessDevice.sessions(kernel, THREADS);
  }

  private ArrivingSessions arriving(Kernel kernel, MachineSessions sessions) {
    return new ArrivingSessions(kernel, sessions, new SocketWay(socket(), false), THREADS);
  }

  /** The fake, which stops in one call of a method until it may go on. */
  private Kernel stoppingIn(String method, Object lastArgument) {
    return StandIn.of(
        Kernel.class,
        fake,
        call -> {
          if (call.is(method) && call.arguments().getLast().equals(lastArgument)) {
            stopped.countDown();
            goes.await();
          }
          return call.pass();
        });
  }

  /** The answer to a word; none when the stream ends. */
  private int answer(Fd stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(SessionMessages.ANSWER_BYTES);
      return fake.recvmsg(stream, into, new FdList()) == into.byteSize()
          ? into.get(ValueLayout.JAVA_INT_UNALIGNED, 0)
          : -1;
    }
  }

  @Test
  void close_whileAWordIsNotFinished_doesNotWaitForIt() {
    try (MachineSessions sessions = sessions(fake)) {
      ArrivingSessions arriving = arriving(fake, sessions);
      try (Fd stream = fake.connect(socket())) {
        SessionWordsTest.send(fake, stream, WORD, 0, 1);
        await().atMost(PATIENCE).until(() -> fake.count("recvmsg") >= 2);
        arriving.close();
        assertThat(answer(stream)).isEqualTo(-1);
      }
    }
    assertThat(fake.openFds()).isEmpty();
  }

  @Test
  void goOn_whileAWordIsNotFinished_itsStreamEnds() {
    try (MachineSessions sessions = sessions(fake);
        ArrivingSessions arriving = arriving(fake, sessions);
        Fd stream = fake.connect(socket())) {
      SessionWordsTest.send(fake, stream, WORD, 0, 1);
      await().atMost(PATIENCE).until(() -> fake.count("recvmsg") >= 2);
      arriving.goOn(Set.of());
      assertThat(answer(stream)).isEqualTo(-1);
    }
  }

  @Test
  void goOn_wordIsWholeOnlyThen_isNotTaken() throws Exception {
    Kernel slow = stoppingIn("setReceiveTimeout", 0); // behind the last byte
    try (MachineSessions sessions = sessions(fake);
        ArrivingSessions arriving = arriving(slow, sessions);
        Fd stream = fake.connect(socket())) {
      SessionWordsTest.send(fake, stream, WORD, 0, WORD.length);
      stopped.await();
      arriving.goOn(Set.of());
      goes.countDown();
      assertThat(answer(stream)).isEqualTo(-1);
    }
    assertThat(fake.count("sendmsg")).as("only the word itself").isEqualTo(1);
  }

  /** The stream may be one of a session that goes on. */
  @Test
  void goOn_wordWasTaken_itsStreamIsNotCutOff() throws Exception {
    Kernel slow = stoppingIn("sendmsg", List.of()); // the answer
    try (MachineSessions sessions = sessions(fake);
        ArrivingSessions arriving = arriving(slow, sessions);
        Fd stream = fake.connect(socket())) {
      SessionWordsTest.send(fake, stream, WORD, 0, WORD.length);
      stopped.await();
      arriving.goOn(Set.of());
      goes.countDown();
      assertThat(answer(stream)).isEqualTo(Errno.EFAULT.number());
    }
  }

  @Test
  void new_wayFailsWhenItIsToldThatSomebodyListens_nothingListensAnyMore() {
    try (MachineSessions sessions = sessions(fake)) {
      int before = fake.openFds().size();
      assertThatThrownBy(
              () -> new ArrivingSessions(fake, sessions, new SocketWay(socket(), true), THREADS))
          .isInstanceOf(OutOfMemoryError.class);
      assertThat(fake.openFds()).hasSize(before);
    }
  }

  @Test
  void new_socketOfAnEarlierOneIsThere_listensAllTheSame() {
    Kernel kernel = RealKernel.create();
    kernel.listen(socket(), 1).close();
    assertThat(socket()).exists();
    try (MachineSessions sessions = sessions(kernel);
        ArrivingSessions _ = arriving(kernel, sessions);
        Fd stream = kernel.connect(socket())) {
      assertThat(stream.isOpen()).isTrue();
    }
  }
}
