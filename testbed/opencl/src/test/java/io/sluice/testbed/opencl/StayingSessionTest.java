package io.sluice.testbed.opencl;

import static io.sluice.testbed.opencl.RelayRig.SEGMENT_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.relay.StayingDeparture;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.MachineSession;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session of this host's OpenCL that stays when its machine moves: its near end goes along. */
final class StayingSessionTest {
  private static final int CREATE_CONTEXT = 6; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_BUFFER = 8;
  private static final int CREATE_MAPPED_BUFFER = 14;
  private static final int READ_BUFFER = 41;
  private static final int WRITE_BUFFER = 42;
  private static final int MAP_BUFFER = 56;
  private static final int UNMAP_BUFFER = 57;
  private static final int FLUSH = 58;
  private static final int FINISH = 59;
  private static final int CREATE_USER_EVENT = 60;
  private static final int SET_USER_EVENT_STATUS = 61;

  private static final int COMPLETE = 0; // CL/cl.h, as those below
  private static final int READ_WRITE = 1;
  private static final int MAP_WRITE = 2;

  private static final int BUFFER = 1; // indices
  private static final int STORED = 2;
  private static final int USER_EVENT = 1;
  private static final int EVENT = 2;
  private static final long FROM = 0x70000;
  private static final long STORAGE = 0x74000;
  private static final long BACK = 0x78000;
  private static final int BYTES = 4096;
  private static final int MINUTES = 5;

  private RelayRig rig;
  private Kernel kernel;
  private Side here;
  private Side there;
  private MachineSession source;
  private CompletableFuture<Void> served;
  private RingApplication application;

  /** A machine's memory, and the eventfds of its session. */
  private record Side(Fd file, Fd doorbell, Fd interrupt) {
    static Side of(Kernel kernel) {
      Fd file = kernel.memfdCreate("machine", SEGMENT_BYTES);
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      return new Side(file, kernel.eventfd(0, Kernel.NONBLOCK), kernel.eventfd(0, Kernel.NONBLOCK));
    }

    List<FilePiece> memory() {
      return List.of(new FilePiece(file, 0, SEGMENT_BYTES));
    }

    void close() {
      List.of(file, doorbell, interrupt).forEach(Fd::close);
    }
  }

  @BeforeEach
  void make() {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    rig = new RelayRig();
    kernel = rig.kernel;
    here = Side.of(kernel);
    there = Side.of(kernel);
    source =
        MachineSession.open(
            rig.settings,
            1,
            here.memory(),
            kernel.dup(here.doorbell()),
            kernel.dup(here.interrupt()));
    served = CompletableFuture.runAsync(this::serveSource, rig.workers);
    application = new RingApplication(kernel, here.file(), SEGMENT_BYTES, here.doorbell());
    application.does(CREATE_CONTEXT, 1, 1, 1);
    application.does(CREATE_QUEUE, 1, 1, 1, 0);
    fill(5);
    application.does(CREATE_BUFFER, BUFFER, 1, READ_WRITE, BYTES, FROM, BYTES);
    application.does(CREATE_MAPPED_BUFFER, STORED, 1, READ_WRITE, STORAGE, BYTES);
    application.does(CREATE_USER_EVENT, USER_EVENT, 1);
  }

  private void serveSource() {
    try (MachineSession session = source) {
      session.serve(() -> {});
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (rig != null) {
      application.close();
      source.session().end();
      served.get(MINUTES, TimeUnit.MINUTES);
      assertThat(rig.settings.account().heldBytes()).isZero();
      rig.close();
      here.close();
      there.close();
    }
  }

  private void fill(int value) {
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      application.memory().set(ValueLayout.JAVA_INT, FROM + at, value * 1000 + at);
    }
  }

  private void requireFilled(int value) {
    application.does(READ_BUFFER, 1, BUFFER, 0, BACK, BYTES, 0, 0);
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      assertThat(application.word(BACK + at)).isEqualTo(value * 1000 + at);
    }
  }

  /** The session's move, with the far end that it gets and the near end that goes along. */
  private final class Move implements AutoCloseable {
    private final List<Fd> way = kernel.socketpair();
    private final List<Fd> net = kernel.socketpair();
    private final StateLink out = new StateLink(kernel, way.get(0));
    private final StateLink from = new StateLink(kernel, way.get(1));
    private final StateLink to = new StateLink(kernel, net.get(0));
    private final StateLink far = new StateLink(kernel, net.get(1));
    private final StayingDeparture leaving;
    private final SessionRelay near;
    private final CompletableFuture<Void> mirror;
    private final CompletableFuture<Departure.HaltedSession> halted = new CompletableFuture<>();
    private final CompletableFuture<Void> left;
    private CompletableFuture<Void> working;

    Move() throws UnmovableException {
      mirror =
          CompletableFuture.runAsync(
              () -> {
                try (Mirror made = Mirror.begin(rig.settings, far)) {
                  made.serve();
                } catch (StateException _) {
                  // it does not come
                }
              },
              rig.workers);
      near =
          SessionRelay.withMachine(
              rig.settings,
              1,
              there.memory(),
              List.of(kernel.dup(there.doorbell()), kernel.dup(there.interrupt())),
              from,
              to);
      leaving = StayingDeparture.of(source, out, stream -> new Departure(source, stream, _ -> {}));
      working = CompletableFuture.runAsync(this::come, rig.workers);
      left = CompletableFuture.runAsync(this::leave, rig.workers);
    }

    private void come() {
      try {
        near.awaitComplete();
      } catch (StateException failed) {
        throw new AssertionError(failed);
      }
    }

    private void leave() {
      try {
        leaving.leave(halted::complete);
      } catch (UnmovableException | StateException failed) {
        halted.completeExceptionally(failed);
      }
    }

    /** All is there but the machine. */
    void stand() throws Exception {
      leaving.approach();
      leaving.halt();
      assertThat(halted.get(MINUTES, TimeUnit.MINUTES).pages()).isNotEmpty();
      working.get(MINUTES, TimeUnit.MINUTES);
    }

    /** The machine is there. */
    void goOn() throws Exception {
      stand();
      application.moveTo(there.file(), there.doorbell());
      near.goOn();
      working = CompletableFuture.runAsync(near::serve, rig.workers);
      source.session().end();
      left.get(MINUTES, TimeUnit.MINUTES);
      served.get(MINUTES, TimeUnit.MINUTES);
    }

    @Override
    public void close() throws Exception {
      near.end();
      working.exceptionally(_ -> null).get(MINUTES, TimeUnit.MINUTES);
      near.close();
      List.of(out, from, to).forEach(StateLink::close);
      mirror.get(MINUTES, TimeUnit.MINUTES);
      left.get(MINUTES, TimeUnit.MINUTES);
      far.close();
    }
  }

  @Test
  void near_whenTheMachineIsThere_reachesTheSessionsContents() throws Exception {
    try (Move move = new Move()) {
      move.goOn();

      requireFilled(5);
      fill(6);
      application.does(WRITE_BUFFER, 1, BUFFER, 0, FROM, BYTES, 0, 0);
      requireFilled(6);
    }
  }

  @Test
  void call_thatWaitsWhileTheMachineMoves_readsWhatWasThere() throws Exception {
    fill(7);
    application.post(WRITE_BUFFER, 1, BUFFER, 0, FROM, BYTES, 1, USER_EVENT, EVENT);
    application.does(FLUSH, 1); // so it was taken
    try (Move move = new Move()) {
      move.goOn();

      application.does(SET_USER_EVENT_STATUS, USER_EVENT, COMPLETE);
      application.does(FINISH, 1);
      requireFilled(7);
    }
  }

  @Test
  void storage_thatIsMappedWhileTheMachineMoves_isWhatTheApplicationWrote() throws Exception {
    application.does(MAP_BUFFER, 1, STORED, MAP_WRITE, 0, BYTES, 0, 0);
    application.memory().set(ValueLayout.JAVA_INT, STORAGE, 77);
    try (Move move = new Move()) {
      move.stand();
      application.memory().set(ValueLayout.JAVA_INT, STORAGE + 4, 78); // the machine still runs
      move.goOn();

      application.does(UNMAP_BUFFER, 1, STORED, 0, 0, 0);
      application.does(READ_BUFFER, 1, STORED, 0, BACK, 8, 0, 0);
      assertThat(application.word(BACK)).isEqualTo(77);
      assertThat(application.word(BACK + 4)).isEqualTo(78);
    }
  }

  @Test
  void storage_thatIsNotMapped_goesAlong() throws Exception {
    application.does(MAP_BUFFER, 1, STORED, MAP_WRITE, 0, BYTES, 0, 0);
    application.memory().set(ValueLayout.JAVA_INT, STORAGE, 77);
    application.does(UNMAP_BUFFER, 1, STORED, 0, 0, 0);
    try (Move move = new Move()) {
      move.goOn();

      application.does(READ_BUFFER, 1, STORED, 0, BACK, 4, 0, 0);
      assertThat(application.word(BACK)).isEqualTo(77);
    }
  }

  @Test
  void session_whoseMachineStays_goesOnAndNothingIsLeft() throws Exception {
    try (Move move = new Move()) {
      move.stand();
      move.leaving.giveUp();
      move.left.get(MINUTES, TimeUnit.MINUTES);
      requireFilled(5);
    }
    try (Move move = new Move()) {
      move.goOn();
      requireFilled(5);
    }
  }

  @Test
  void farEnd_thatIsGoneWhenTheMachineIsThere_isHeard() throws Exception {
    try (Move move = new Move()) {
      move.goOn();
      requireFilled(5);

      move.far.end();

      await().atMost(Duration.ofMinutes(MINUTES)).until(() -> application.state() != 0);
    }
  }
}
