package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.MemoryPiece;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.ApiSessions.Opened;
import io.sluice.vdevice.session.SessionMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine's sessions with a host that ends, lies, or does not answer. */
final class HostedSessionsTest {
  private static final long SESSION = 7;

  private final Kernel kernel = RealKernel.create();
  private final Fd file = kernel.memfdCreate("memory", 1 << 20);
  private final Fd bell = kernel.eventfd(0, 0);
  private final FakeHost host = new FakeHost();
  private final HostedSessions sessions = new HostedSessions(() -> Optional.of(host), () -> 0);
  private final List<Errno> heard = new ArrayList<>();

  /** What the host does with an order, by which it may tell of sessions, too. */
  private final class FakeHost implements HostedSessions.SessionProcess {
    final List<Order> orders = new ArrayList<>();
    final List<Integer> files = new ArrayList<>();
    Function<Order, Optional<HostMessage>> answer = _ -> Optional.empty();
    CompletableFuture<HostMessage> told = new CompletableFuture<>();
    long nowNs;
    int ended;
    boolean gone;

    @Override
    public Optional<HostMessage> ask(LongFunction<Order> order, List<Fd> with) {
      Order made = order.apply(1);
      orders.add(made);
      files.add(with.size());
      return answer.apply(made);
    }

    @Override
    public CompletableFuture<HostMessage> tell(LongFunction<Order> order, List<Fd> with) {
      orders.add(order.apply(2));
      return told;
    }

    @Override
    public long nanoTime() {
      return nowNs;
    }

    @Override
    public void end(String why) {
      ended++;
      dies();
    }

    @Override
    public boolean isGone() {
      return gone;
    }

    void dies() {
      gone = true;
      sessions.onHostGone(this);
    }

    /** Opens what is asked for, as a host does. */
    void opens() {
      answer =
          _ -> {
            sessions.onOpened(this, SESSION);
            return Optional.of(new Shared(1, SESSION, 0));
          };
    }

    void answers(HostMessage message) {
      answer = _ -> Optional.of(message);
    }
  }

  @AfterEach
  void close() {
    file.close();
    bell.close();
  }

  private SessionMemory memory(int pieces) {
    return new SessionMemory(
        ImmutableList.of(file),
        ImmutableList.copyOf(
            Collections.nCopies(pieces, new SessionMemory.FileRange(0, 4096, 8192))));
  }

  private Opened open() {
    return sessions.open(1, memory(1), bell, bell, heard::add);
  }

  private static void assertRefused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }

  @Test
  void open_noHost_isToBeTriedAgain() {
    assertRefused(Errno.EAGAIN, this::open);
  }

  @Test
  void open_answerToSomethingElse_isNoSession() {
    host.answers(new Done(1, ""));
    assertRefused(Errno.EAGAIN, this::open);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 0x10000, Integer.MIN_VALUE})
  void open_apiThatIsNone_isNotAskedFor(int api) {
    assertRefused(Errno.EOPNOTSUPP, () -> sessions.open(api, memory(1), bell, bell, heard::add));
    assertThat(host.orders).isEmpty();
  }

  @Test
  void open_morePiecesThanAnOrderMayHave_isNotAskedFor() {
    int most = MemoryPiece.MAX_PIECES;
    assertRefused(Errno.EINVAL, () -> sessions.open(1, memory(most + 1), bell, bell, heard::add));
    assertThat(host.orders).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"122, EDQUOT", "22, EINVAL", "95, EOPNOTSUPP", "5, EIO", "71, EIO", "4095, EIO"})
  void open_hostRefuses_guestHearsWhatItMay(int errno, Errno heardByGuest) {
    host.answers(new Shared(1, 0, errno));
    assertRefused(heardByGuest, this::open);
  }

  @Test
  void open_hostEndsBeforeItIsClaimed_isToBeTriedAgain() {
    host.answer =
        _ -> {
          sessions.onOpened(host, SESSION);
          host.dies();
          return Optional.of(new Shared(1, SESSION, 0));
        };
    assertRefused(Errno.EAGAIN, this::open);
    assertThat(heard).isEmpty();
  }

  @Test
  void open_sessionEndsBeforeItIsClaimed_hasEnded() {
    host.answer =
        _ -> {
          sessions.onOpened(host, SESSION);
          sessions.onEnded(host, SESSION, true);
          return Optional.of(new Shared(1, SESSION, 0));
        };
    Opened session = open();
    assertThat(session.end()).isTrue();
    assertRefused(Errno.EPIPE, () -> session.add(1, memory(1)));
    session.close();
    assertThat(host.orders).hasSize(1);
    assertThat(heard).isEmpty();
  }

  @Test
  void open_namesFilesAndPieces() {
    host.opens();
    open();
    assertThat(host.orders)
        .containsExactly(new OpenShared(1, 1, false, 1, List.of(new MemoryPiece(0, 4096, 8192))));
    assertThat(host.files).containsExactly(3);
  }

  @Test
  void add_noAnswer_sessionHasEnded() {
    host.opens();
    Opened session = open();
    host.answer =
        _ -> {
          host.dies();
          return Optional.empty();
        };
    assertRefused(Errno.EPIPE, () -> session.add(1, memory(1)));
    assertThat(session.end()).isTrue();
    assertThat(heard).containsExactly(Errno.EPIPE);
  }

  @Test
  void add_ofASession_namesIt() {
    host.opens();
    Opened session = open();
    host.answers(new Shared(1, SESSION, 0));
    session.add(3, memory(1));
    assertThat(host.orders.getLast())
        .isEqualTo(new AddSegment(1, SESSION, 3, 1, List.of(new MemoryPiece(0, 4096, 8192))));
  }

  @Test
  void end_isAskedForOnceAndDoneWhenTheHostSaysSo() {
    host.opens();
    Opened session = open();
    assertThat(session.end()).isFalse();
    assertThat(session.end()).isFalse();
    assertThat(host.orders).hasSize(2).contains(new EndSession(2, SESSION));
    assertRefused(Errno.EPIPE, () -> session.add(1, memory(1)));

    sessions.onEnded(host, SESSION, true);

    assertThat(session.end()).isTrue();
    assertThat(heard).isEmpty();
  }

  @Test
  void end_hostDoesNotAnswer_isEndedInTime() {
    host.opens();
    Opened session = open();
    assertThat(session.end()).isFalse();
    for (int i = 0; i < 10; i++) {
      host.nowNs += Duration.ofSeconds(1).toNanos();
      assertThat(session.end()).isFalse();
    }
    assertThat(host.ended).isZero();
    host.nowNs += Duration.ofSeconds(1).toNanos();
    assertThat(session.end()).isTrue();
    assertThat(host.ended).isEqualTo(1);
  }

  /** Its answer may be in the link's socket: it is heard before the next look. */
  @Test
  void end_daemonStoodStill_hostIsNotEndedForThat() {
    host.opens();
    Opened session = open();
    assertThat(session.end()).isFalse();
    host.nowNs = Duration.ofMinutes(5).toNanos();
    assertThat(session.end()).isFalse();
    assertThat(host.ended).isZero();
    host.told.complete(new Done(2, ""));
    host.nowNs += Duration.ofMinutes(5).toNanos();
    assertThat(session.end()).isFalse();
    assertThat(host.ended).isZero();
  }

  @Test
  void end_hostAnswersAndHasAKernelThatRuns_takesItsTime() {
    host.opens();
    Opened session = open();
    assertThat(session.end()).isFalse();
    host.told.complete(new Done(2, ""));
    host.nowNs = Duration.ofHours(1).toNanos();
    assertThat(session.end()).isFalse();
    assertThat(host.ended).isZero();
  }

  @Test
  void close_hostDoesNotEndIt_endsTheHost() {
    host.opens();
    Opened session = open();
    session.close();
    assertThat(host.ended).isEqualTo(1);
    assertThat(session.end()).isTrue();
  }

  @Test
  void host_dies_eachSessionHearsItOnce() {
    host.opens();
    Opened session = open();
    host.dies();
    host.dies();
    sessions.onEnded(host, SESSION, true);
    assertThat(heard).containsExactly(Errno.EPIPE);
    session.close();
    assertThat(host.ended).isZero();
  }

  @Test
  void host_tellsOfMoreSessionsThanThereMayBe_isEnded() {
    for (int i = 0; i < 64; i++) {
      sessions.onOpened(host, 100 + i);
    }
    assertThat(host.ended).isZero();
    sessions.onOpened(host, 200);
    assertThat(host.ended).isEqualTo(1);
  }

  // ---- moves ----

  private Opened moved(FakeHost to) {
    host.opens();
    Opened session = open();
    sessions.onMoving(to, SESSION);
    return session;
  }

  @Test
  void move_done_ordersGoWhereItLivesAndTheOldHostMayDie() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    sessions.onArrived(to, SESSION);
    sessions.onEnded(host, SESSION, false);
    host.dies();
    to.answers(new Shared(1, SESSION, 0));

    session.add(3, memory(1));

    assertThat(to.orders).hasSize(1);
    assertThat(heard).isEmpty();
    assertThat(session.end()).isFalse();
    sessions.onEnded(to, SESSION, true);
    assertThat(session.end()).isTrue();
    assertThat(heard).isEmpty();
  }

  @Test
  void move_backBeforeTheFormerHostSaysThatItLeft_sessionStays() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    sessions.onArrived(to, SESSION);
    sessions.onMoving(host, SESSION);
    sessions.onArrived(host, SESSION);
    sessions.onEnded(host, SESSION, false); // that it left, as it was there first
    sessions.onEnded(to, SESSION, false);

    assertThat(session.end()).isFalse();
    assertThat(heard).isEmpty();
    sessions.onEnded(host, SESSION, true);
    assertThat(session.end()).isTrue();
  }

  @Test
  void move_againBeforeARefusalIsHeard_sessionIsKnownThere() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    sessions.onMoving(to, SESSION);
    sessions.onEnded(to, SESSION, false); // it did not come the first time
    sessions.onArrived(to, SESSION);
    sessions.onEnded(host, SESSION, false);

    assertThat(session.end()).isFalse();
    assertThat(heard).isEmpty();
    to.dies();
    assertThat(heard).containsExactly(Errno.EPIPE);
  }

  @Test
  void move_newHostDiesAfterwards_sessionHearsItOnce() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    sessions.onArrived(to, SESSION);
    sessions.onEnded(host, SESSION, false);
    to.dies();
    assertThat(session.end()).isTrue();
    assertThat(heard).containsExactly(Errno.EPIPE);
  }

  @Test
  void move_newHostDiesOrRefuses_sessionStays() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    to.dies();
    assertThat(session.end()).isFalse();
    sessions.onMoving(to, SESSION); // which has no process any more
    sessions.onEnded(host, SESSION, true);
    assertThat(session.end()).isTrue();
    assertThat(heard).isEmpty();
  }

  @Test
  void move_oldHostDiesAndTheNewOneHasNotAll_sessionHearsItWhenBothHaveLetGo() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    host.dies();
    assertThat(session.end()).isFalse();
    assertThat(heard).isEmpty();
    sessions.onEnded(to, SESSION, false);
    assertThat(session.end()).isTrue();
    assertThat(heard).containsExactly(Errno.EPIPE);
  }

  @Test
  void end_askedForWhileItMoves_isAskedForAgainWhereItArrives() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    assertThat(session.end()).isFalse();
    to.orders.clear();
    sessions.onArrived(to, SESSION);
    assertThat(to.orders).containsExactly(new EndSession(2, SESSION));
  }

  @Test
  void close_whileItMoves_endsBothHostsThatDoNotLetGo() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    session.close();
    assertThat(host.ended).isEqualTo(1);
    assertThat(to.ended).isEqualTo(1);
    assertThat(session.end()).isTrue();
  }

  @Test
  void add_whileItMoves_isAskedForWhereItArrives() {
    FakeHost to = new FakeHost();
    Opened session = moved(to);
    host.answer =
        _ -> {
          sessions.onArrived(to, SESSION);
          return Optional.of(new Shared(1, SESSION, Errno.EAGAIN.number()));
        };
    to.answers(new Shared(1, SESSION, 0));
    session.add(3, memory(1));
    assertThat(to.orders).hasSize(1);
  }

  @Test
  void add_moveThatGoesOn_isToBeTriedAgain() {
    Opened session = moved(new FakeHost());
    host.answers(new Shared(1, SESSION, Errno.EAGAIN.number()));
    assertRefused(Errno.EAGAIN, () -> session.add(3, memory(1)));
  }

  @Test
  void tryOut_obstacles_areToldWithTheSessionsNumber() {
    host.opens();
    Opened session = open();
    CompletableFuture<Void> tried = session.tryOut(bell);
    assertThat(host.orders.getLast()).isEqualTo(new Order.Leave(2, SESSION, true));
    host.told.complete(HostMessage.Left.not(2, "it cannot", List.of("queue 1", "program 2")));
    assertThat(tried.exceptionNow())
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("session " + SESSION + ": queue 1; program 2");
  }

  @Test
  void tryOut_hostThatEnds_isNoAnswer() {
    host.opens();
    CompletableFuture<Void> tried = open().tryOut(bell);
    host.told.completeExceptionally(new IllegalStateException("gone"));
    assertThat(tried.exceptionNow()).isInstanceOf(RefusedException.class);
  }

  @Test
  void tryOut_hostThatIsReady_isDoneAndOverWhenItIsTold() {
    host.opens();
    Opened session = open();
    CompletableFuture<Void> tried = session.tryOut(bell);
    host.told.complete(new HostMessage.Left(2, "", List.of(), 1, 0, List.of()));
    assertThat(tried).isCompleted();
    CompletableFuture<?> _ = session.endTrial();
    assertThat(host.orders.getLast()).isEqualTo(new Order.EndTrial(2, SESSION));
    assertThat(session.isGone()).isFalse();
  }

  @Test
  void endTrial_ofASessionThatMovedMeanwhile_isToldToTheHostThatTriesIt() {
    FakeHost to = new FakeHost();
    host.opens();
    Opened session = open();
    CompletableFuture<Void> _ = session.tryOut(bell);
    sessions.onMoving(to, SESSION);
    sessions.onArrived(to, SESSION);

    CompletableFuture<?> _ = session.endTrial();

    assertThat(host.orders.getLast()).isEqualTo(new Order.EndTrial(2, SESSION));
    assertThat(to.orders).isEmpty();
  }

  /** A place for a near end, in which a host expects it. */
  private final class Found {
    final Fd far = kernel.eventfd(0, 0);
    final FakeHost side = new FakeHost();
    int forgotten;
    final HostedSessions machine =
        new HostedSessions(
            Optional::empty,
            () -> 0,
            _ -> new HostedSessions.FoundPlace(side, SESSION, far, () -> forgotten++));

    Opened arrive() {
      return arrive(1);
    }

    Opened arrive(int api) {
      try (ApiSessions.NearPlace place = machine.reach("kvm-a:7443")) {
        return place.arrive(api, memory(1), bell, bell, bell, heard::add);
      }
    }
  }

  @Test
  void reach_hostThatTakesIt_isTheNearEndsHost() {
    Found found = new Found();
    found.side.answers(new Shared(1, SESSION, 0));
    Opened session = found.arrive();
    assertThat(found.side.orders)
        .singleElement()
        .isInstanceOfSatisfying(
            Order.Near.class, near -> assertThat(near.session()).isEqualTo(SESSION));
    assertThat(found.side.files).containsExactly(5);
    assertThat(found.forgotten).isZero();
    assertThat(found.far.isOpen()).as("the host has its own").isFalse();
    assertThat(found.machine.isEmpty()).isFalse();

    found.machine.onEnded(found.side, SESSION, false);

    assertThat(session.isGone()).isTrue();
    assertThat(heard).containsExactly(Errno.EPIPE);
    assertThat(found.machine.isEmpty()).isTrue();
  }

  @Test
  void reach_hostThatRefusesIt_isForgotten() {
    Found found = new Found();
    found.side.answers(new Shared(1, SESSION, Errno.EDQUOT.number()));
    assertRefused(Errno.EDQUOT, found::arrive);
    assertThat(found.forgotten).isOne();
    assertThat(found.machine.isEmpty()).isTrue();
    assertThat(found.far.isOpen()).isFalse();
    assertThat(heard).isEmpty();
  }

  @Test
  void reach_apiThatIsNone_isNotAskedFor() {
    Found found = new Found();
    assertRefused(Errno.EOPNOTSUPP, () -> found.arrive(0x10000));
    assertThat(found.side.orders).isEmpty();
    assertThat(found.forgotten).isOne();
  }

  @Test
  void reach_whereNoneLivesElsewhere_isRefused() {
    assertRefused(Errno.EOPNOTSUPP, () -> sessions.reach("kvm-a:7443").close());
  }

  @Test
  void part_isAskedForWhereItLives() {
    host.opens();
    Opened session = open();
    CompletableFuture<ApiSessions.Standing> parted = session.part(bell);
    assertThat(host.orders.getLast()).isEqualTo(new Order.Part(2, SESSION));
    host.told.complete(new HostMessage.Left(2, "", List.of(), 9, 0, List.of()));
    assertThat(parted.join().sentBytes()).isEqualTo(9);
  }
}
