package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links and their sessions, over real sockets and real memory. */
class SessionLinkTest {
  private static final long MOST_BYTES = 1 << 20;

  private final Kernel kernel = RealKernel.create();
  private final ExecutorService workers = Executors.newSingleThreadExecutor();
  private final MemoryAccount account = new MemoryAccount(() -> 1000);
  private final AtomicReference<@Nullable Session> session = new AtomicReference<>();
  private final List<Thread> links = new ArrayList<>();
  private final CountDownLatch busy = new CountDownLatch(1);
  private SessionSettings settings;
  private TestApplication application;

  @BeforeEach
  void connect() {
    settings =
        new SessionSettings(
            kernel,
            Map.of(9, new EchoApi()),
            MOST_BYTES,
            account,
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
    application = open(opened -> session.set(opened.session()));
  }

  /** An application, and a link that serves it. */
  private TestApplication open(Consumer<LinkedSession> opened) {
    List<Fd> pair = kernel.socketpair();
    Thread link =
        new Thread(() -> {
          try (Fd socket = pair.get(1)) {
            new SessionLink(settings, 5).serve(socket, opened);
          }
        });
    links.add(link);
    link.start();
    return new TestApplication(kernel, pair.get(0));
  }

  @AfterEach
  void disconnect() throws InterruptedException {
    busy.countDown();
    application.close();
    for (Thread link : links) {
      link.join();
    }
    workers.shutdownNow();
    assertThat(account.heldBytes()).isZero();
  }

  @Test
  void hello_otherMagic_isRefused() {
    assertThat(application.hello(1, 9, TestApplication.BYTES, both()))
        .isEqualTo(Errno.EPROTO.number());
  }

  @Test
  void hello_unknownApi_isRefused() {
    assertThat(application.hello(Hello.MAGIC, 2, TestApplication.BYTES, both()))
        .isEqualTo(Errno.EOPNOTSUPP.number());
  }

  @Test
  void hello_otherLengthThanTheFile_isRefused() {
    assertThat(application.hello(Hello.MAGIC, 9, TestApplication.BYTES - 4096, both()))
        .isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void hello_withoutDescriptors_isRefused() {
    assertThat(application.hello(Hello.MAGIC, 9, TestApplication.BYTES, List.of()))
        .isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void hello_noEventfd_isRefused() {
    List<Fd> files = List.of(application.file(), application.file());
    assertThat(application.hello(Hello.MAGIC, 9, TestApplication.BYTES, files))
        .isEqualTo(Errno.EINVAL.number());
  }

  /** The host has the other end of its own connection then, and would wait for itself. */
  @Test
  @Timeout(120)
  void part_ofAMessageWithTheApplicationsOwnSocket_endsTheLink() throws InterruptedException {
    try (Arena arena = Arena.ofConfined();
        Fd own = kernel.dup(application.socket())) {
      kernel.sendmsg(application.socket(), arena.allocate(4), List.of(own));
    }
    application.socket().close();
    for (Thread link : links) {
      link.join();
    }
  }

  @Test
  @Timeout(120)
  void part_ofASegmentWithTheApplicationsOwnSocket_endsTheSession() throws InterruptedException {
    assertThat(application.hello()).isZero();
    try (Arena arena = Arena.ofConfined();
        Fd own = kernel.dup(application.socket())) {
      kernel.sendmsg(application.socket(), arena.allocate(4), List.of(own));
    }
    application.socket().close();
    for (Thread link : links) {
      link.join();
    }
  }

  @Test
  void hello_memoryThatCanShrink_isRefused() {
    try (Fd unsealed = kernel.memfdCreate("unsealed", TestApplication.BYTES)) {
      List<Fd> files = List.of(unsealed, application.doorbell());
      assertThat(application.hello(Hello.MAGIC, 9, TestApplication.BYTES, files))
          .isEqualTo(Errno.EINVAL.number());
    }
  }

  @Test
  void call_completesWithoutWakingTheSession_isAnswered() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(8)).isEqualTo(8);
  }

  @Test
  void call_knownOne_isAnswered() {
    assertThat(application.hello()).isZero();
    for (int i = 0; i < 1000; i++) {
      assertThat(application.call(1, i)).isZero();
      assertThat(application.value()).isEqualTo(i + 1);
    }
    assertThat(session().calls()).isEqualTo(1000);
  }

  @Test
  void call_answeredByAWorker_isAnswered() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(6)).isEqualTo(6);
  }

  private Session session() {
    return Objects.requireNonNull(session.get());
  }

  /** Calls after which the session's thread has been at the ring, whatever it did there. */
  private void lookAtTheRing() {
    for (int i = 0; i < 2; i++) {
      assertThat(session().ask(() -> true).join()).isTrue();
    }
  }

  /** One that is under way until the latch is down. */
  private void beginLongCall() {
    Future<?> _ =
        workers.submit(() -> {
          busy.await();
          return true;
        });
    assertThat(application.hello()).isZero();
    application.post(6, 0);
    awaitCalls(1);
  }

  private void awaitCalls(long count) {
    await().atMost(Duration.ofMinutes(2)).until(() -> session().calls() == count);
  }

  @Test
  void longCall_thatIsHeld_waitsWithAllBehindItUntilItIsTaken() {
    assertThat(application.hello()).isZero();
    assertThat(session().holdLongCalls().join()).isTrue();
    assertThat(application.call(1, 1)).as("another").isZero();
    application.post(6, 0);
    application.post(1, 0, 2);
    lookAtTheRing();
    assertThat(session().calls()).isEqualTo(1);
    session().takeLongCalls();
    assertThat(application.call(1, 3)).isZero();
    assertThat(session().calls()).isEqualTo(4);
  }

  @Test
  void longCalls_oneUnderWay_areHeldWhenItHasEnded() {
    beginLongCall();
    CompletableFuture<Boolean> held = session().holdLongCalls();
    application.post(6, 0);
    awaitCalls(2); // there was no moment without
    assertThat(held).isNotDone();
    session().holdNextLongCall();
    lookAtTheRing(); // and it has heard that
    application.post(6, 0);
    lookAtTheRing();
    assertThat(session().calls()).isEqualTo(2);
    assertThat(held).isNotDone();
    busy.countDown();
    assertThat(held.join()).isTrue();
    assertThat(session().calls()).isEqualTo(2);
    session().takeLongCalls();
    awaitCalls(3);
  }

  @Test
  void longCalls_takenAgainBeforeTheyWereHeld_areNotWaitedFor() {
    beginLongCall();
    CompletableFuture<Boolean> held = session().holdLongCalls();
    session().takeLongCalls();
    session().holdNextLongCall(); // nobody wants that any more
    lookAtTheRing();
    assertThat(held).isCancelled();
    busy.countDown();
    assertThat(application.call(6)).isEqualTo(6);
  }

  @Test
  void call_objectThatIsNotThere_isAnAnswer() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(3, 1)).isEqualTo(EchoApi.NOT_THERE);
    assertThat(application.call(3, 1L << 40 | 1)).isEqualTo(EchoApi.NOT_THERE);
    assertThat(application.call(2, 0, 0)).isEqualTo(EchoApi.NOT_THERE);
    assertThat(application.call(2, 101, 0)).isEqualTo(EchoApi.NOT_THERE);
    assertThat(application.call(2, 100, 0)).isZero();
    assertThat(application.call(2, 100, 0)).isEqualTo(EchoApi.NOT_THERE);
    assertThat(application.call(3, 100)).isZero();
  }

  @Test
  void call_objectOrMemoryOfAnotherSession_isNotThere() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(2, 100, 600)).isZero();
    try (TestApplication other = open(_ -> {});
        Fd segment = TestApplication.sealed(kernel, 8192)) {
      assertThat(application.segment(1, segment, 8192)).isZero();
      assertThat(other.hello()).isZero();

      assertThat(other.call(3, 100)).isEqualTo(EchoApi.NOT_THERE);
      assertThat(other.call(2, 100, 1)).isZero(); // its own of that index
      assertThat(other.call(3, 100)).isZero();
      assertThat(other.call(4, 1L << 48, 16)).isEqualTo(Errno.EFAULT.number());
      assertThat(other.end()).isEqualTo(Errno.EFAULT.number());
    }
    assertThat(account.heldBytes()).isEqualTo(600);
    assertThat(application.call(4, 1L << 48, 16)).isZero();
    assertThat(application.call(3, 100)).isZero();
  }

  @Test
  void call_beyondTheGuestsLimit_isRefusedAndChargesNothing() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(2, 1, 600)).isZero();
    assertThat(application.call(2, 2, 600)).isEqualTo(-4);
    assertThat(application.call(2, 2, -1)).isEqualTo(-4);
    assertThat(account.heldBytes()).isEqualTo(600);
    assertThat(application.call(3, 1)).isZero();
    assertThat(account.heldBytes()).isZero();
    assertThat(application.call(2, 2, 1000)).isZero(); // left to the end of the session
  }

  @Test
  void call_range_isWithinRegisteredMemory() {
    assertThat(application.hello()).isZero();
    application.memory().set(ValueLayout.JAVA_BYTE, RingLayout.ARENA + 8, (byte) 42);
    assertThat(application.call(4, RingLayout.ARENA + 8, 1)).isZero();
    assertThat(application.value()).isEqualTo(42);
  }

  @Test
  void call_rangeOutside_endsTheSession() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(4, TestApplication.BYTES - 8, 16)).isEqualTo(Errno.EFAULT.number());
    assertThat(application.end()).isEqualTo(Errno.EFAULT.number());
  }

  @Test
  void call_rangeWhoseEndWraps_endsTheSession() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(4, 4096, -4096)).isEqualTo(Errno.EFAULT.number());
  }

  @Test
  void call_unknown_endsTheSession() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(99)).isEqualTo(Errno.ENOSYS.number());
  }

  @Test
  void call_moreParametersThanItHas_endsTheSession() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(1, 2, 3)).isEqualTo(Errno.EPROTO.number());
  }

  @Test
  void call_thatFailsTheHost_endsThisSessionOnly() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(7)).isEqualTo(Errno.EIO.number());
  }

  @Test
  void call_answerSlotThatIsNotThere_endsTheSession() {
    assertThat(application.hello()).isZero();
    application.post(1, 65, 1);
    assertThat(application.end()).isEqualTo(Errno.EPROTO.number());
  }

  @Test
  void ring_headBeyond_endsTheSession() {
    assertThat(application.hello()).isZero();
    application.publish(-64);
    assertThat(application.end()).isEqualTo(Errno.EPROTO.number());
  }

  @Test
  void notices_moreThanTheRingHolds_allCome() {
    assertThat(application.hello()).isZero();
    int many = 3 * RingLayout.NOTICE_COUNT;
    int taken = 0;
    for (int i = 0; i < many; i++) {
      application.post(5, 0, -i, i);
    }
    while (taken < many) {
      int head = (int) RingLayout.WORD.getAcquire(application.memory(), RingLayout.NOTICE_HEAD);
      for (; taken < head; taken++) {
        long at =
            RingLayout.NOTICES + (taken & RingLayout.NOTICE_COUNT - 1) * RingLayout.NOTICE_BYTES;
        assertThat(application.memory().get(ValueLayout.JAVA_INT, at + 8)).isEqualTo(taken);
      }
      RingLayout.WORD.setRelease(application.memory(), RingLayout.NOTICE_TAIL, taken);
      Thread.onSpinWait();
    }
  }

  @Test
  void segment_sealedFile_isMemoryOfTheSession() {
    assertThat(application.hello()).isZero();
    try (Fd segment = TestApplication.sealed(kernel, 8192)) {
      assertThat(application.segment(1, segment, 8192)).isZero();
      assertThat(application.segment(1, segment, 8192)).isEqualTo(-Errno.EINVAL.number());
      assertThat(application.segment(64, segment, 8192)).isEqualTo(-Errno.EINVAL.number());
      assertThat(application.segment(2, segment, 4096)).isEqualTo(-Errno.EINVAL.number());
    }
    assertThat(application.call(4, 1L << 48 | 4096, 4096)).isZero();
    assertThat(application.value()).isZero();
  }

  @Test
  void segment_beyondTheLimit_isRefused() {
    assertThat(application.hello()).isZero();
    try (Fd segment = TestApplication.sealed(kernel, MOST_BYTES)) {
      assertThat(application.segment(1, segment, MOST_BYTES)).isEqualTo(-Errno.ENOMEM.number());
    }
  }

  @Test
  void end_applicationGoesInTheMiddle_leavesNothing() {
    assertThat(application.hello()).isZero();
    assertThat(application.call(2, 1, 100)).isZero();
    application.post(6, 2);
    // disconnect() closes, joins and looks at the account; the leak check at descriptors and
    // mappings
  }

  private List<Fd> both() {
    return List.of(application.file(), application.doorbell());
  }
}
