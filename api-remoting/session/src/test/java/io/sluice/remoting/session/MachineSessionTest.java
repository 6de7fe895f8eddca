package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions whose memory is pieces of a machine's, over real memory. */
class MachineSessionTest {
  private static final int API = 9;
  private static final long PAGE = 4096;
  private static final long MOST_BYTES = 1 << 20;
  private static final int PATIENCE_MS = 120_000;

  private final Kernel kernel = RealKernel.create();
  private final ExecutorService workers = Executors.newSingleThreadExecutor();
  private final MemoryAccount account = new MemoryAccount(() -> 1000);
  private final SessionSettings settings =
      new SessionSettings(
          kernel,
          Map.of(API, new EchoApi()),
          MOST_BYTES,
          account,
          DeviceTurns.alone(),
          Thread::new,
          workers,
          System::nanoTime);
  private final Fd notified = kernel.eventfd(0, Kernel.NONBLOCK);
  private TestApplication application;
  private Fd unused;

  @BeforeEach
  void start() {
    List<Fd> pair = kernel.socketpair();
    unused = pair.get(1);
    application = new TestApplication(kernel, pair.get(0));
  }

  @AfterEach
  void stop() {
    application.close();
    unused.close();
    notified.close();
    workers.shutdownNow();
    assertThat(account.heldBytes()).isZero();
  }

  /** The application's memory, as a machine would name it. */
  private List<FilePiece> inTwoPieces() {
    Fd file = application.file();
    return List.of(
        new FilePiece(file, 0, 16 * PAGE),
        new FilePiece(file, 16 * PAGE, TestApplication.BYTES - 16 * PAGE));
  }

  private MachineSession open(List<FilePiece> pieces) {
    Fd doorbell = kernel.dup(application.doorbell());
    Fd notify = kernel.dup(notified);
    boolean complete = false;
    try {
      MachineSession session = MachineSession.open(settings, API, pieces, doorbell, notify);
      complete = true;
      return session;
    } finally {
      if (!complete) {
        doorbell.close();
        notify.close();
      }
    }
  }

  private void refused(Errno errno, FilePiece... pieces) {
    assertThatThrownBy(() -> open(List.of(pieces)))
        .isInstanceOfSatisfying(
            ProtocolException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }

  private interface Use {
    void of(MachineSession session);
  }

  private void served(Use use) throws InterruptedException {
    MachineSession session = open(inTwoPieces());
    Thread thread =
        new Thread(() -> {
          try (session) {
            session.serve(() -> {});
          }
        });
    thread.start();
    try {
      use.of(session);
    } finally {
      session.end();
      thread.join();
    }
    assertThat(application.end()).isEqualTo(Errno.EPIPE.number());
  }

  private void awaitNotice() {
    short[] wanted = {Kernel.POLLIN};
    assertThat(kernel.poll(List.of(notified), wanted, new short[1], PATIENCE_MS)).isEqualTo(1);
    kernel.drain(notified);
  }

  @Test
  void open_pieceThatIsNot_isRefused() {
    Fd file = application.file();
    long bytes = TestApplication.BYTES;
    refused(Errno.EINVAL, new FilePiece(file, 0, RingLayout.ARENA - PAGE));
    refused(Errno.EINVAL, new FilePiece(file, PAGE, bytes));
    refused(Errno.EINVAL, new FilePiece(file, -PAGE, bytes));
    refused(Errno.EINVAL, new FilePiece(file, 1, bytes - PAGE));
    refused(Errno.EINVAL, new FilePiece(file, 0, bytes - 1));
    refused(Errno.EINVAL, new FilePiece(file, 0, bytes), new FilePiece(file, 0, 0));
    refused(Errno.EINVAL, new FilePiece(file, 0, bytes), new FilePiece(file, 0, -PAGE));
    refused(Errno.EINVAL, new FilePiece(notified, 0, bytes));
    FilePiece[] many = new FilePiece[3];
    java.util.Arrays.fill(many, new FilePiece(file, 0, bytes));
    refused(Errno.ENOMEM, many);
  }

  @Test
  void open_memoryThatCanShrink_isRefused() {
    try (Fd file = kernel.memfdCreate("machine", MOST_BYTES)) {
      refused(Errno.EINVAL, new FilePiece(file, 0, MOST_BYTES));
    }
  }

  @Test
  void open_whatIsNoEventfdOrApi_isRefused() {
    try (Fd doorbell = kernel.dup(application.doorbell())) {
      List<FilePiece> pieces = inTwoPieces();
      assertThatThrownBy(
              () -> MachineSession.open(settings, API, pieces, doorbell, application.file()))
          .isInstanceOf(ProtocolException.class);
      assertThatThrownBy(() -> MachineSession.open(settings, 2, pieces, doorbell, notified))
          .isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void call_inAMachine_isAnswered() throws InterruptedException {
    served(session -> {
      for (int i = 0; i < 100; i++) {
        assertThat(application.call(1, i)).isZero();
        assertThat(application.value()).isEqualTo(i + 1);
      }
    });
  }

  @Test
  void answer_callerSleeps_machineIsInterrupted() throws InterruptedException {
    served(session -> {
      kernel.drain(notified);
      RingLayout.WORD.setVolatile(application.memory(), RingLayout.ANSWERS, 0);
      RingLayout.WORD.setVolatile(application.memory(), RingLayout.CALLERS, 1);
      application.post(1, 1, 41);
      awaitNotice();
      assertThat((int) RingLayout.WORD.getAcquire(application.memory(), RingLayout.ANSWERS))
          .isEqualTo(1);
      assertThat(application.value()).isEqualTo(42);
    });
    awaitNotice(); // of its end
  }

  @Test
  void segment_ofTheMachine_isReached() throws InterruptedException {
    try (Fd file = kernel.memfdCreate("more", 3 * PAGE)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      served(session -> {
        List<FilePiece> backwards =
            List.of(new FilePiece(file, 2 * PAGE, PAGE), new FilePiece(file, 0, PAGE));
        session.add(1, backwards);
        try (var mapping = kernel.mmap(file, 0, PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
          mapping.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
        }
        assertThat(application.call(4, 1L << 48 | PAGE + 5, 1)).isZero();
        assertThat(application.value()).isEqualTo(42);
        assertThatThrownBy(() -> session.add(1, backwards)).isInstanceOf(ProtocolException.class);
      });
    }
  }

  @Test
  void segment_afterTheEnd_isRefused() {
    MachineSession session = open(inTwoPieces());
    session.end();
    try (session) {
      session.serve(() -> {});
    }
    assertThatThrownBy(() -> session.add(1, inTwoPieces()))
        .isInstanceOfSatisfying(
            ProtocolException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPIPE));
  }

  @Test
  void touchedPages_areThoseThatCallsNamedAndTheHostsOwn() {
    try (MachineSession session = open(inTwoPieces())) {
      SharedMemory memory = session.memory();
      memory.named(70 * PAGE + 5, 2 * PAGE);
      memory.named(80 * PAGE, 1);
      memory.named(85 * PAGE, 0);
      assertThat(memory.touchedPages(16))
          .containsExactly(
              new SharedMemory.SegmentRange(0, 0, RingLayout.RING),
              new SharedMemory.SegmentRange(0, 70 * PAGE, 3 * PAGE),
              new SharedMemory.SegmentRange(0, 80 * PAGE, PAGE));
      assertThat(memory.touchedPages(2))
          .containsExactly(
              new SharedMemory.SegmentRange(0, 0, RingLayout.RING),
              new SharedMemory.SegmentRange(0, 70 * PAGE, 11 * PAGE));
      assertThat(memory.touchedPages(1))
          .containsExactly(new SharedMemory.SegmentRange(0, 0, 81 * PAGE));
    }
  }

  @Test
  void segment_whileTheSessionIsHeld_isToBeTriedAgainAndThenAdded() throws Exception {
    try (MachineSession session = open(inTwoPieces())) {
      List<FilePiece> more = List.of(new FilePiece(application.file(), 0, PAGE));
      assertThat(session.hold(0)).isTrue();
      assertThatThrownBy(() -> session.add(1, more))
          .isInstanceOfSatisfying(
              ProtocolException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EAGAIN));
      assertThat(session.awaitSegment(1, PAGE, 0)).isFalse();
      session.release();
      session.add(1, more);
      assertThat(session.awaitSegment(1, PAGE, 0)).isTrue();
      assertThat(session.awaitSegment(1, 2 * PAGE, 0)).isFalse();
    }
  }
}
