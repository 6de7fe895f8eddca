package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions of a machine that are tried out at another host: what is no trial, and what is one. */
final class TrialTest {
  private static final long PAGE = 4096;
  private static final long MOST_BYTES = 1 << 20;
  private static final StateItem HEAD =
      head(PairedCallsApi.NUMBER, StateItem.ApplicationPlace.MOVING_MACHINE);
  private static final StateItem FIRST = segment(0, TestApplication.BYTES);

  private final Kernel kernel = RealKernel.create();
  private final ExecutorService workers = Executors.newCachedThreadPool();
  private final SessionSettings settings =
      new SessionSettings(
          kernel,
          Map.of(PairedCallsApi.NUMBER, new PairedCallsApi(() -> {}), 8, new EchoApi()),
          MOST_BYTES,
          new MemoryAccount(() -> 0),
          DeviceTurns.alone(),
          Thread::new,
          workers,
          System::nanoTime);
  private StateLink here;
  private StateLink there;

  @BeforeEach
  void start() {
    List<Fd> pair = kernel.socketpair();
    here = new StateLink(kernel, pair.get(0));
    there = new StateLink(kernel, pair.get(1));
  }

  @AfterEach
  void stop() {
    here.close();
    there.close();
    workers.shutdownNow();
  }

  private static StateItem head(int api, StateItem.ApplicationPlace place) {
    return new StateItem.Head(api, place, "paired");
  }

  private static StateItem segment(int index, long bytes) {
    return new StateItem.Segment(index, bytes, List.of());
  }

  static Stream<List<StateItem>> streamsThatAreNone() {
    return Stream.of(
        List.of(FIRST),
        List.of(head(PairedCallsApi.NUMBER, StateItem.ApplicationPlace.HOST), FIRST),
        List.of(head(PairedCallsApi.NUMBER, StateItem.ApplicationPlace.MACHINE), FIRST),
        List.of(head(2, StateItem.ApplicationPlace.MOVING_MACHINE), FIRST),
        List.of(
            head(8, StateItem.ApplicationPlace.MOVING_MACHINE),
            FIRST), // sessions of it do not move
        List.of(HEAD, new StateItem.Prepared()),
        List.of(HEAD, segment(1, TestApplication.BYTES)),
        List.of(HEAD, segment(0, PAGE)), // less than a ring
        List.of(HEAD, segment(0, TestApplication.BYTES + 1)),
        List.of(HEAD, segment(0, MOST_BYTES + PAGE)),
        List.of(HEAD, segment(0, 1L << 62)),
        List.of(HEAD, FIRST, segment(0, TestApplication.BYTES)),
        List.of(HEAD, FIRST, segment(1, MOST_BYTES)),
        List.of(HEAD, FIRST, HEAD),
        List.of(HEAD, FIRST, new StateItem.Complete()),
        List.of(HEAD, FIRST, new StateItem.Go()),
        List.of(HEAD, FIRST, new StateItem.Ring(0, 0, 0)),
        List.of(HEAD, FIRST, new StateItem.Notice(1, 0, 1)),
        List.of(HEAD, FIRST, new StateItem.Content(1, 0, 1, MemorySegment.ofArray(new byte[1]))),
        List.of(
            HEAD,
            FIRST,
            new StateItem.Open(
                new StateItem.KeptCall(PairedCallsApi.BEGIN, 1, new byte[16], List.of()),
                0,
                List.of())),
        List.of(HEAD, FIRST));
  }

  @ParameterizedTest
  @MethodSource("streamsThatAreNone")
  void trial_streamThatIsNone_isRefused(List<StateItem> items) throws StateException {
    for (StateItem item : items) {
      here.write(item);
    }
    here.flush();
    here.end();
    assertThatThrownBy(this::take).isInstanceOf(StateException.class);
  }

  private void take() throws StateException {
    try (Arrival arrival = Arrival.onTrial(settings, there)) {
      arrival.awaitStay();
    }
  }

  @Test
  void trial_thatIsAskedTwice_isAnsweredTwice() throws StateException {
    CompletableFuture<Void> taken =
        CompletableFuture.runAsync(
            () -> assertThatThrownBy(this::take).isInstanceOf(StateException.class), workers);
    here.write(HEAD);
    here.write(FIRST);
    for (int i = 0; i < 2; i++) {
      here.write(new StateItem.Prepared());
      here.flush();
      assertThat(here.read()).isEqualTo(new StateItem.Ready());
    }
    here.end();
    taken.join();
  }

  @Test
  void trial_deviceThatIsNotHere_isSaidOnceAndByItsName() throws StateException {
    CompletableFuture<Void> taken =
        CompletableFuture.runAsync(
            () -> assertThatThrownBy(this::take).isInstanceOf(StateException.class), workers);
    here.write(HEAD);
    here.write(FIRST);
    here.write(new StateItem.Root(new StateItem.Entity(1, 1, 1, false), "a card"));
    here.write(made(2, 1));
    here.write(made(3, 2)); // needs what needs it
    here.write(new StateItem.Prepared());
    here.flush();
    assertThat(here.read())
        .isEqualTo(new StateItem.Refused(List.of("event 2 needs a card, which is not here")));
    here.end();
    taken.join();
  }

  /** An object whose index and serial are the same, made of another one. */
  private static StateItem made(int serial, long of) {
    return new StateItem.Made(
        List.of(new StateItem.Entity(1, serial, serial, false)),
        new StateItem.KeptCall(PairedCallsApi.BEGIN, 10 + serial, new byte[16], List.of(of)),
        new byte[0]);
  }

  private interface Use {
    void of(MachineSession session, TestApplication program) throws Exception;
  }

  /** A session of a machine that is served. */
  private void served(Use use) throws Exception {
    List<Fd> pair = kernel.socketpair();
    try (Fd _ = pair.get(1);
        Fd notify = kernel.eventfd(0, Kernel.NONBLOCK);
        TestApplication program = new TestApplication(kernel, pair.get(0))) {
      MachineSession session =
          MachineSession.open(
              settings,
              PairedCallsApi.NUMBER,
              List.of(new FilePiece(program.file(), 0, TestApplication.BYTES)),
              kernel.dup(program.doorbell()),
              kernel.dup(notify));
      Thread thread =
          new Thread(() -> {
            try (session) {
              session.serve(() -> {});
            }
          });
      thread.start();
      try {
        use.of(session, program);
      } finally {
        session.end();
        thread.join();
      }
    }
  }

  @Test
  void tryOut_ofAMachinesSession_isReadyAndTheSessionGoesOn() throws Exception {
    served((session, program) -> {
      assertThat(program.call(PairedCallsApi.BEGIN)).isZero();
      CompletableFuture<Void> taken =
          CompletableFuture.runAsync(
              () -> assertThatCode(this::take).doesNotThrowAnyException(), workers);
      Departure trial = new Departure(session, here, _ -> {});
      assertThat(trial.tryOut().sentBytes()).isPositive();
      assertThat(program.call(PairedCallsApi.END)).as("it goes on meanwhile").isZero();
      assertThat(taken.isDone()).as("it is there until the trial is over").isFalse();

      here.write(new StateItem.Stay());
      here.flush();
      taken.join();
      assertThat(session.session().hasDeparted()).isFalse();
      assertThat(program.call(PairedCallsApi.BEGIN)).isZero();
    });
  }

  @Test
  void tryOut_thatIsRefused_saysWhy() throws Exception {
    served((session, _) -> {
      there.write(new StateItem.Refused(List.of("no place")));
      there.flush();
      Departure trial = new Departure(session, here, _ -> {});
      assertThatThrownBy(() -> trial.tryOut())
          .isInstanceOfSatisfying(
              UnmovableException.class, e -> assertThat(e.reasons()).containsExactly("no place"));
    });
  }

  @Test
  void tryOut_otherHostIsGone_isNotFoundOut() throws Exception {
    served((session, _) -> {
      there.end();
      Departure trial = new Departure(session, here, _ -> {});
      assertThatThrownBy(trial::tryOut).isInstanceOf(StateException.class);
    });
  }
}
