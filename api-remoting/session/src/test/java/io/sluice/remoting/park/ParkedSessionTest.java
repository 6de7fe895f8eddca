package io.sluice.remoting.park;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.MemoryAccount;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.turns.DeviceTurns;
import io.sluice.testbed.fakes.FakeKernel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A session on its way into a file that cannot be written. */
final class ParkedSessionTest {
  private static final int API = 9;
  private static final long BYTES = 0x49000;

  /** What a link holds back before it is sent, but for less than any item has. */
  private static final int WAITING = (1 << 20) / 8 - 1;

  private final FakeKernel kernel = new FakeKernel();

  /** One that is never opened. */
  private static final class NoApi implements RemotedApi {
    @Override
    public int number() {
      return API;
    }

    @Override
    public String name() {
      return "none";
    }

    @Override
    public List<ObjectKind> kinds() {
      return List.of();
    }

    @Override
    public ApiSession open(SessionContext context) {
      throw new AssertionError("opened");
    }
  }

  private SessionSettings settings() {
    return new SessionSettings(
        kernel,
        Map.of(API, new NoApi()),
        1 << 20,
        new MemoryAccount(() -> 0),
        DeviceTurns.alone(),
        Thread::new,
        Runnable::run,
        System::nanoTime);
  }

  /** What a host says of a session that leaves it. */
  private void say(StateLink host) throws StateException {
    try (Fd doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
        Fd memory = kernel.memfdCreate("machine", BYTES)) {
      kernel.addSeals(memory, Kernel.F_SEAL_SHRINK);
      host.write(
          new StateItem.Head(API, StateItem.ApplicationPlace.MACHINE, "none"),
          List.of(doorbell, notify));
      host.write(
          new StateItem.Segment(0, BYTES, List.of(new StateItem.FilePart(0, 0, BYTES))),
          List.of(memory));
    }
  }

  @Test
  void begin_fileThatCannotBeWritten_leavesNothing() throws Exception {
    List<Fd> leaves = kernel.socketpair();
    List<Fd> written = kernel.socketpair();
    written.get(0).close();
    try (StateLink host = new StateLink(kernel, leaves.get(0));
        StateLink from = new StateLink(kernel, leaves.get(1));
        StateLink file = new StateLink(kernel, written.get(1))) {
      Map<Integer, String> before = kernel.openFds();
      for (int i = 0; i < WAITING; i++) {
        file.write(new StateItem.Prepared());
      }
      say(host);

      assertThatThrownBy(() -> ParkedSession.begin(settings(), from, file))
          .isInstanceOf(StateException.class)
          .hasMessageContaining("is gone");

      assertThat(kernel.openFds()).isEqualTo(before);
      assertThat(kernel.mappings()).isZero();
    }
  }
}
