package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.MemoryPiece;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.turns.DeviceTurns;
import io.sluice.testbed.checks.Held;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The orders about sessions of a machine, over real memory; nothing is left of any of them. */
final class MachineOrdersTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long PAGE = 4096;
  private static final long BYTES = 0x49000;
  private static final long MOST_BYTES = 1 << 20;
  private static final int STATE = 0x1c0;
  private static final long FIRST = 5;

  private final Kernel kernel = RealKernel.create();
  private final CurrentLimits limits = new CurrentLimits(new SessionLimits(2, 0));
  private final BlockingQueue<HostMessage> told = new LinkedBlockingQueue<>();
  private final List<Thread> services = new ArrayList<>();
  private final SessionSettings settings =
      new SessionSettings(
          kernel,
          Map.of(IdleApi.NUMBER, new IdleApi()),
          MOST_BYTES,
          new MemoryAccount(() -> 0),
          DeviceTurns.alone(),
          this::service,
          Runnable::run,
          System::nanoTime);
  private final SessionTable table =
      new SessionTable(
          kernel, new LinkedApplications(settings, "none"), limits, FIRST, () -> 0, told::add);
  private final MachineOrders orders = new MachineOrders(table);
  private Fd memory;
  private Held before;

  private Thread service(Runnable action) {
    Thread thread = new Thread(action, "service");
    services.add(thread);
    return thread;
  }

  @BeforeEach
  void start() {
    memory = kernel.memfdCreate("machine", 2 * BYTES);
    kernel.addSeals(memory, Kernel.F_SEAL_SHRINK);
    before = Held.now();
  }

  @AfterEach
  void stop() throws InterruptedException {
    table.reports().forEach(session -> table.end(session.number()));
    for (Thread service : services) {
      service.join();
    }
    assertThat(Held.now().beyond(before)).isEqualTo(new Held(Map.of(), Map.of()));
    memory.close();
  }

  private Shared open(int api, Fd doorbell, MemoryPiece... pieces) {
    List<Fd> fds =
        List.of(kernel.dup(memory), kernel.dup(doorbell), kernel.eventfd(0, Kernel.NONBLOCK));
    return orders.open(new OpenShared(1, api, false, 1, List.of(pieces)), fds);
  }

  private Shared open(MemoryPiece... pieces) {
    try (Fd doorbell = kernel.eventfd(0, 0)) {
      return open(IdleApi.NUMBER, doorbell, pieces);
    }
  }

  private Shared add(long session, int index, MemoryPiece... pieces) {
    return orders.add(
        new AddSegment(2, session, index, 1, List.of(pieces)), List.of(kernel.dup(memory)));
  }

  private static MemoryPiece piece(long offset, long bytes) {
    return new MemoryPiece(0, offset, bytes);
  }

  private static void assertRefused(Shared answer, Errno errno) {
    assertThat(answer.errno()).isEqualTo(errno.number());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 0x49000", // a file that did not come
    "0, 1, 0x49000",
    "0, 0, 0x49001",
    "0, 0, 0x47000", // less than a ring
    "0, 0x49000, 0x4a000", // beyond the file
    "0, 0x7ffffffffffff000, 0x49000",
    "0, 0, 0x7ffffffffffff000",
  })
  void open_pieceThatIsNone_isRefused(int file, String offset, String bytes) {
    assertRefused(
        open(new MemoryPiece(file, Long.decode(offset), Long.decode(bytes))), Errno.EINVAL);
    assertThat(told).isEmpty();
  }

  @Test
  void open_noPieces_isRefused() {
    assertRefused(open(), Errno.EINVAL);
  }

  @Test
  void open_fileThatMayShrink_isRefused() {
    try (Fd other = kernel.memfdCreate("shrinks", BYTES);
        Fd doorbell = kernel.eventfd(0, 0)) {
      List<Fd> fds =
          List.of(kernel.dup(other), kernel.dup(doorbell), kernel.eventfd(0, Kernel.NONBLOCK));
      OpenShared order = new OpenShared(1, IdleApi.NUMBER, false, 1, List.of(piece(0, BYTES)));
      assertRefused(orders.open(order, fds), Errno.EINVAL);
    }
  }

  @Test
  void open_doorbellThatIsNone_isRefused() {
    assertRefused(open(IdleApi.NUMBER, memory, piece(0, BYTES)), Errno.EINVAL);
  }

  @Test
  void open_apiThatIsNotServed_isRefused() {
    try (Fd doorbell = kernel.eventfd(0, 0)) {
      assertRefused(open(77, doorbell, piece(0, BYTES)), Errno.EOPNOTSUPP);
    }
  }

  @Test
  void open_moreBytesThanMay_isRefused() {
    MemoryPiece[] often = new MemoryPiece[4];
    Arrays.fill(often, piece(0, BYTES));
    assertRefused(open(often), Errno.ENOMEM);
  }

  @Test
  void open_refusedOften_keepsItsPlaces() {
    for (int i = 0; i < 10; i++) {
      assertRefused(open(piece(0, PAGE)), Errno.EINVAL);
    }
    assertThat(open(piece(0, BYTES)).errno()).isZero();
  }

  @Test
  void open_moreSessionsThanMay_isRefusedUntilOneEnds() {
    Shared one = open(piece(0, BYTES));
    Shared two = open(piece(BYTES, BYTES));
    assertThat(List.of(one.session(), two.session())).containsExactly(FIRST, FIRST + 1);
    assertRefused(open(piece(0, BYTES)), Errno.EDQUOT);

    assertThat(table.end(one.session())).isTrue();

    await()
        .atMost(PATIENCE)
        .until(() -> told.contains(new Ended(one.session(), "it was asked to end")));
    await().atMost(PATIENCE).until(() -> open(piece(0, BYTES)).errno() == 0);
  }

  @Test
  void add_sessionThatIsNone_isRefused() {
    assertRefused(add(FIRST, 1, piece(0, PAGE)), Errno.EPIPE);
  }

  @Test
  void add_wrongOnes_areRefusedAndTheSessionGoesOn() {
    long session = open(piece(0, BYTES)).session();
    assertRefused(add(session, 1), Errno.EINVAL);
    assertRefused(add(session, 0, piece(BYTES, PAGE)), Errno.EINVAL);
    assertRefused(add(session, 64, piece(BYTES, PAGE)), Errno.EINVAL);
    assertRefused(add(session, 1, piece(2 * BYTES, PAGE)), Errno.EINVAL);
    assertRefused(add(session, 1, new MemoryPiece(7, 0, PAGE)), Errno.EINVAL);

    assertThat(add(session, 1, piece(BYTES, PAGE)).errno()).isZero();
    assertRefused(add(session, 1, piece(BYTES, PAGE)), Errno.EINVAL);
    assertThat(table.reports()).hasSize(1);
  }

  @Test
  void end_ofASession_isSaidInItsMemory() {
    long session = open(piece(0, BYTES)).session();
    assertThat(told).contains(new Opened(session, 0));

    assertThat(table.end(session)).isTrue();

    try (var seen = kernel.mmap(memory, 0, BYTES, Kernel.PROT_READ)) {
      await().atMost(PATIENCE).until(() -> seen.segment().get(ValueLayout.JAVA_INT, STATE) != 0);
    }
    await().atMost(PATIENCE).until(() -> table.reports().isEmpty());
    assertRefused(add(session, 1, piece(BYTES, PAGE)), Errno.EPIPE);
    assertThat(table.end(session)).isFalse();
  }

  @Test
  void ring_thatBreaksTheProtocol_endsItsSessionAlone() {
    long other = open(piece(0, BYTES)).session();
    try (Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        var ring = kernel.mmap(memory, BYTES, BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      long session = open(IdleApi.NUMBER, doorbell, piece(BYTES, BYTES)).session();
      ring.segment().set(ValueLayout.JAVA_INT, 0x40, 7);
      kernel.signal(doorbell);

      await()
          .atMost(PATIENCE)
          .until(() -> told.contains(new Ended(session, "its application broke the protocol")));
      assertThat(ring.segment().get(ValueLayout.JAVA_INT, STATE)).isEqualTo(Errno.EPROTO.number());
    }
    assertThat(table.reports()).extracting(report -> report.number()).containsExactly(other);
  }
}
