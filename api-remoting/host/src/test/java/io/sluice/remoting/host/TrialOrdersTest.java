package io.sluice.remoting.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Left;
import io.sluice.remoting.control.Order.Leave;
import io.sluice.remoting.control.Order.Trial;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** The orders to try sessions out: whoever asks is told what is in the way, by name. */
final class TrialOrdersTest {
  private static final long BYTES = 0x49000;

  private final Kernel kernel = RealKernel.create();
  private final BlockingQueue<HostMessage> told = new LinkedBlockingQueue<>();
  private final SessionSettings settings =
      new SessionSettings(
          kernel,
          Map.of(IdleApi.NUMBER, new IdleApi()),
          1 << 20,
          new MemoryAccount(() -> 0),
          DeviceTurns.alone(),
          Thread::new,
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
  private final MoveOrders orders = new MoveOrders(settings, "none", table, told::add);

  /** Asks as the host of the session does; the answer. */
  private StateItem ask() throws Exception {
    List<Fd> pair = kernel.socketpair();
    orders.tryOut(new Trial(3), pair.get(1));
    try (StateLink link = new StateLink(kernel, pair.get(0))) {
      link.write(
          new StateItem.Head(IdleApi.NUMBER, StateItem.ApplicationPlace.MOVING_MACHINE, "idle"));
      link.write(new StateItem.Segment(0, BYTES, List.of()));
      link.write(new StateItem.Prepared());
      link.flush();
      return link.read();
    }
  }

  @Test
  void trial_whereThereIsNoPlace_isToldSo() throws Exception {
    assertThat(table.takePlace()).isTrue();
    assertThat(ask()).asString().contains("as many sessions as there may be");
    assertThat(told.take()).isInstanceOf(Done.class);
  }

  @Test
  void trial_ofAnApiThatDoesNotMove_isToldSoAndGivesItsPlaceBack() throws Exception {
    assertThat(ask()).asString().contains("sessions of the api do not move");
    assertThat(told.take()).isInstanceOf(Done.class);
    assertThat(table.takePlace()).isTrue();
  }

  @Test
  void trial_thatSaysNothing_isOverWhenItsStreamEnds() throws Exception {
    List<Fd> pair = kernel.socketpair();
    orders.tryOut(new Trial(3), pair.get(1));
    pair.get(0).close();
    assertThat(told.take()).isInstanceOf(Done.class);
    assertThat(table.takePlace()).isTrue();
  }

  @Test
  void tryOut_ofASessionThatIsNotThere_isToldSo() throws Exception {
    List<Fd> pair = kernel.socketpair();
    try (Fd _ = pair.get(0)) {
      orders.leave(new Leave(4, 7, true), pair.get(1));
      assertThat(told.take()).isEqualTo(Left.not(4, "there is no such session", List.of()));
    }
  }
}
