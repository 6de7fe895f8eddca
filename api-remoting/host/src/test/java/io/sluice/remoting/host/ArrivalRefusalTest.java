package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Park;
import io.sluice.remoting.control.Order.Relay;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that do not come: the host that they would leave is told why, in words. */
@Timeout(120)
final class ArrivalRefusalTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long BYTES = 0x49000;
  private static final String FULL = "there are as many sessions as there may be";

  private final Kernel kernel = RealKernel.create();
  private final BlockingQueue<HostMessage> told = new LinkedBlockingQueue<>();
  private final SessionSettings settings = settings(kernel);
  private final SessionTable table =
      new SessionTable(
          kernel,
          new LinkedApplications(settings, "none"),
          new CurrentLimits(new SessionLimits(1, 0)),
          1,
          () -> 0,
          told::add);

  private static SessionSettings settings(Kernel kernel) {
    return new SessionSettings(
        kernel,
        Map.of(IdleApi.NUMBER, new IdleApi()),
        1 << 20,
        new MemoryAccount(() -> 0),
        DeviceTurns.alone(),
        Thread::new,
        Runnable::run,
        System::nanoTime);
  }

  /** Says what a host of this machine says, and asks; the answer. */
  private StateItem ask(Fd socket, StateItem.ApplicationPlace place) throws Exception {
    try (StateLink link = new StateLink(kernel, socket);
        Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd file = kernel.memfdCreate("machine", BYTES)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      boolean moves = place == StateItem.ApplicationPlace.MOVING_MACHINE;
      link.write(
          new StateItem.Head(IdleApi.NUMBER, place, "idle"),
          moves ? List.of() : List.of(doorbell, notify));
      if (!moves) {
        link.write(
            new StateItem.Segment(0, BYTES, List.of(new StateItem.FilePart(0, 0, BYTES))),
            List.of(file));
      }
      link.write(new StateItem.Prepared());
      link.flush();
      return link.read();
    }
  }

  private StateItem arrive() throws Exception {
    List<Fd> pair = kernel.socketpair();
    new MoveOrders(settings, "none", table, told::add)
        .arrive(new Arrive(3, 7, 0, -1, 0, false), pair.get(1));
    return ask(pair.get(0), StateItem.ApplicationPlace.MACHINE);
  }

  @Test
  void arrival_whereThereIsNoPlace_isToldSo() throws Exception {
    assertThat(table.takePlace()).isTrue();
    assertThat(arrive()).isEqualTo(new StateItem.Refused(List.of(FULL)));
    assertThat(told.take()).isEqualTo(Moved.not(3, FULL, List.of()));
  }

  @Test
  void arrival_ofAnApiThatDoesNotMove_isToldSoAndGivesItsPlaceBack() throws Exception {
    assertThat(arrive()).asString().contains("sessions of the api do not move");
    assertThat(told.take()).asString().contains("sessions of the api do not move");
  }

  @Test
  void host_thatHasMuchMoreToSay_isListenedToForSoLongAndNoLonger() throws Exception {
    List<Fd> pair = kernel.socketpair();
    AtomicLong clock = new AtomicLong();
    try (StateLink here = new StateLink(kernel, pair.get(0));
        StateLink there = new StateLink(kernel, pair.get(1))) {
      for (int i = 0; i < 20; i++) {
        there.write(new StateItem.Held());
      }
      there.flush();

      ArrivalRefusal.tell(here, FULL, () -> clock.addAndGet(5_000_000_000L)); // each takes 5 s

      assertThat(here.read()).as("some are left").isEqualTo(new StateItem.Held());
    }
  }

  @Test
  void nearEnd_whereThereIsNoPlace_isToldSo() throws Exception {
    assertThat(table.takePlace()).isTrue();
    List<Fd> pair = kernel.socketpair();
    List<Fd> far = kernel.socketpair();
    try (Fd _ = far.get(0)) {
      new FarOrders(settings, "none", table, told::add)
          .relay(new Relay(3, 7, 0, -1, 0), pair.get(1), far.get(1));
      assertThat(ask(pair.get(0), StateItem.ApplicationPlace.MACHINE))
          .isEqualTo(new StateItem.Refused(List.of(FULL)));
    }
  }

  @Test
  void parking_whereThereIsNoPlace_isToldSo() throws Exception {
    assertThat(table.takePlace()).isTrue();
    List<Fd> pair = kernel.socketpair();
    List<Fd> file = kernel.socketpair();
    try (Fd _ = file.get(0)) {
      new ParkOrders(settings, table, told::add)
          .park(new Park(3, 7, 0, -1, 0, "key"), pair.get(1), file.get(1));
      assertThat(ask(pair.get(0), StateItem.ApplicationPlace.MACHINE))
          .isEqualTo(new StateItem.Refused(List.of(FULL)));
      assertThat(told.take()).isEqualTo(Moved.not(3, FULL, List.of()));
    }
  }

  /** Memory for its memory is not there, for once. */
  @Test
  void parking_anError_isToldAndGivesItsPlaceBack() throws Exception {
    Kernel scarce =
        StandIn.of(
            Kernel.class,
            kernel,
            call -> {
              if (call.method().startsWith("mmap")) {
                throw new OutOfMemoryError("injected");
              }
              return call.pass();
            });
    List<Fd> pair = kernel.socketpair();
    List<Fd> file = kernel.socketpair();
    try (Fd _ = file.get(0)) {
      new ParkOrders(settings(scarce), table, told::add)
          .park(new Park(3, 7, 0, -1, 0, "key"), pair.get(1), file.get(1));
      assertThatThrownBy(() -> ask(pair.get(0), StateItem.ApplicationPlace.MACHINE))
          .isInstanceOf(StateException.class);
      assertThat(told.take()).isEqualTo(Moved.not(3, "injected", List.of()));
    }
    await().atMost(PATIENCE).until(table::takePlace);
  }

  @Test
  void nearEnd_ofAnApiThatStaysOnItsHost_isToldSo() throws Exception {
    List<Fd> pair = kernel.socketpair();
    List<Fd> far = kernel.socketpair();
    try (Fd _ = far.get(0)) {
      new FarOrders(settings, "none", table, told::add)
          .relay(new Relay(3, 7, 0, -1, 0), pair.get(1), far.get(1));
      assertThat(ask(pair.get(0), StateItem.ApplicationPlace.MACHINE))
          .asString()
          .contains("a session that stays on its host");
    }
  }

  @Test
  void sessionOfAMachineThatMoves_whenItCannotBeMade_isToldSo() throws Exception {
    List<Fd> pair = kernel.socketpair();
    try (Fd file = kernel.memfdCreate("machine", BYTES)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      long number =
          table.serveMachine(
              IdleApi.NUMBER,
              List.of(new FilePiece(file, 0, BYTES)),
              kernel.eventfd(0, Kernel.NONBLOCK),
              kernel.eventfd(0, Kernel.NONBLOCK),
              pair.get(1));
      assertThat(ask(pair.get(0), StateItem.ApplicationPlace.MOVING_MACHINE))
          .asString()
          .contains("sessions of the api do not move");
      assertThat(told.take()).isEqualTo(new Opened(number, 0));
      assertThat(told.take()).isEqualTo(new Ended(number, MachineApplication.NOT_COME));
    }
  }
}
