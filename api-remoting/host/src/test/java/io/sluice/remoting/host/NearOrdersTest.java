package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.MemoryPiece;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.relay.CallRanges;
import io.sluice.remoting.relay.RelayableApi;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import io.sluice.testbed.checks.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The near ends of sessions that come with their machine, of which nothing is left. */
final class NearOrdersTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long BYTES = 0x49000;
  private static final long SESSION = 9;

  private final Kernel kernel = RealKernel.create();
  private final BlockingQueue<HostMessage> told = new LinkedBlockingQueue<>();
  private final List<Thread> services = new ArrayList<>();
  private final SessionSettings settings =
      new SessionSettings(
          kernel,
          Map.of(IdleApi.NUMBER, new IdleApi(), RelayedApi.NUMBER, new RelayedApi()),
          1 << 20,
          new MemoryAccount(() -> 0),
          DeviceTurns.alone(),
          this::service,
          Runnable::run,
          System::nanoTime);
  private final SessionTable table =
      new SessionTable(
          kernel,
          new LinkedApplications(settings, "none"),
          new CurrentLimits(new SessionLimits(1, 0)),
          1,
          () -> 0,
          told::add);
  private final FarOrders orders = new FarOrders(settings, "none", table, told::add);
  private Fd memory;
  private Held before;

  private synchronized Thread service(Runnable action) {
    Thread thread = new Thread(action, "service");
    services.add(thread);
    return thread;
  }

  @BeforeEach
  void start() {
    memory = kernel.memfdCreate("machine", BYTES);
    kernel.addSeals(memory, Kernel.F_SEAL_SHRINK);
    before = Held.now();
  }

  @AfterEach
  void stop() throws InterruptedException {
    boolean _ = table.end(SESSION);
    for (Thread service : services) {
      service.join();
    }
    assertThat(Held.now().beyond(before)).isEqualTo(new Held(Map.of(), Map.of()));
    memory.close();
  }

  /** The hosts at the other ends of a near end's streams. */
  private final class Others implements AutoCloseable {
    final List<Fd> left = kernel.socketpair();
    final List<Fd> lives = kernel.socketpair();
    final StateLink source = new StateLink(kernel, left.get(0));
    final StateLink far = new StateLink(kernel, lives.get(0));

    Shared near(int api, long bytes) {
      return orders.near(
          new Order.Near(4, SESSION, api, 1, List.of(new MemoryPiece(0, 0, bytes))),
          List.of(
              kernel.dup(memory),
              kernel.eventfd(0, Kernel.NONBLOCK),
              kernel.eventfd(0, Kernel.NONBLOCK),
              left.get(1),
              lives.get(1)));
    }

    @Override
    public void close() {
      source.close();
      far.close();
    }
  }

  private void awaitNotCome() {
    await()
        .atMost(PATIENCE)
        .until(() -> told.contains(new Ended(SESSION, MachineApplication.NOT_COME)));
    assertThat(table.reports()).isEmpty();
  }

  @Test
  void near_thatCannotBeServed_isRefusedAndKeepsNoPlace() {
    for (int i = 0; i < 3; i++) {
      try (Others others = new Others()) {
        assertThat(others.near(IdleApi.NUMBER, BYTES).errno()).isEqualTo(Errno.EOPNOTSUPP.number());
      }
      try (Others others = new Others()) {
        assertThat(others.near(RelayedApi.NUMBER, 4096).errno()).isEqualTo(Errno.EINVAL.number());
      }
    }
    assertThat(told).isEmpty();
  }

  @Test
  void near_whoseSourceEndsTheStream_doesNotComeAndLeavesItsPlace() {
    for (int i = 0; i < 2; i++) {
      told.clear();
      try (Others others = new Others()) {
        assertThat(others.near(RelayedApi.NUMBER, BYTES).errno()).isZero();
        try (Others more = new Others()) {
          assertThat(more.near(RelayedApi.NUMBER, BYTES).errno()).isEqualTo(Errno.EDQUOT.number());
        }
        others.source.end();
        awaitNotCome();
      }
      await().atMost(PATIENCE).until(() -> services.stream().noneMatch(Thread::isAlive));
    }
  }

  @Test
  void near_thatIsComing_doesNotMoveAndEndsWhenItIsTold() throws Exception {
    try (Others others = new Others()) {
      assertThat(others.near(RelayedApi.NUMBER, BYTES).errno()).isZero();
      assertThat(table.reports()).hasSize(1);
      RelayedApplication coming =
          (RelayedApplication) Objects.requireNonNull(table.application(SESSION));
      Moved moved = coming.recalled(new Order.Depart(5, SESSION, false), others.source, _ -> {});
      assertThat(moved.error()).contains("it comes with its machine");

      assertThat(table.end(SESSION)).isTrue();

      awaitNotCome();
    }
  }

  @Test
  void near_farEndThatRefuses_saysSoToTheSource() throws StateException {
    try (Others others = new Others()) {
      assertThat(others.near(RelayedApi.NUMBER, BYTES).errno()).isZero();
      others.source.write(
          new StateItem.Head(
              RelayedApi.NUMBER, StateItem.ApplicationPlace.MOVING_MACHINE, "a test"));
      others.source.write(new StateItem.Segment(0, BYTES, List.of()));
      others.source.write(new StateItem.Prepared());
      others.source.flush();
      assertThat(others.far.read())
          .isEqualTo(
              new StateItem.Head(RelayedApi.NUMBER, StateItem.ApplicationPlace.HOST, "a test"));
      assertThat(others.far.read()).isEqualTo(new StateItem.Segment(0, BYTES, List.of()));
      assertThat(others.far.read()).isEqualTo(new StateItem.Prepared());

      others.far.write(new StateItem.Refused(List.of("no room")));
      others.far.flush();

      assertThat(others.source.read()).isEqualTo(new StateItem.Refused(List.of("no room")));
      others.source.end();
      awaitNotCome();
    }
  }

  @Test
  void goOn_nearEndWhoseSessionIsNotThere_endsBeforeItIsServed() throws StateException {
    try (Others others = new Others()) {
      assertThat(others.near(RelayedApi.NUMBER, BYTES).errno()).isZero();
      assertThat(table.goOn(SESSION)).isTrue();
      others.far.end();
      others.source.end();
      awaitNotCome();
      assertThat(table.goOn(SESSION)).isFalse();
    }
  }

  @Test
  void takeNumber_isNoOthers() {
    assertThat(List.of(table.takeNumber(), table.takeNumber())).containsExactly(1L, 2L);
  }

  /** An API whose sessions may live elsewhere. */
  private static final class RelayedApi implements RelayableApi {
    static final int NUMBER = 8;

    @Override
    public int number() {
      return NUMBER;
    }

    @Override
    public String name() {
      return "relayed";
    }

    @Override
    public List<ObjectKind> kinds() {
      return List.of();
    }

    @Override
    public ApiSession open(SessionContext context) {
      throw new AssertionError("its sessions are elsewhere");
    }

    @Override
    public CallRanges ranges() {
      return new CallRanges() {
        @Override
        public NamedRanges of(int number, byte[] message) {
          return new NamedRanges(List.of(), List.of());
        }

        @Override
        public NamedRanges of(StateItem.Open item) {
          return new NamedRanges(List.of(), List.of());
        }

        @Override
        public void take(StateItem item) {}

        @Override
        public List<StateItem.MemoryRange> storage() {
          return List.of();
        }

        @Override
        public List<StateItem.MemoryRange> unmappedStorage() {
          return List.of();
        }
      };
    }
  }
}
