package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.turns.TurnSeat;
import io.sluice.management.SessionHostStatus;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.testbed.fakes.LingeringFd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A guest's session hosts when the daemon lacks what they need, for once. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GuestSessionsTest {
  private static final SessionLimits LIMITS = new SessionLimits(2, 1 << 20);
  private static final int ETOOMANYREFS = 109;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private HostRig rig;

  @BeforeEach
  void open() throws Exception {
    rig = new HostRig(dir);
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  private Path socket() {
    return dir.resolve("a.sock.api");
  }

  private GuestSessions sessions(HostStarter starter) throws Exception {
    return new GuestSessions(
        "a", rig.socket(socket()), LIMITS, starter, Map.of(), rig.door, rig.surroundings);
  }

  /** The second host is asked to serve, and does. */
  private void assertAnotherServes(GuestSessions sessions) throws Exception {
    assertAnotherServes(sessions, rig.hosts.take());
  }

  private void assertAnotherServes(GuestSessions sessions, ControlLink first) throws Exception {
    assertThat(first.receive()).isEmpty();
    ControlLink second = rig.hosts.take();
    assertThat(second.receive().orElseThrow()).contains("\"do\":\"serve\"");
    second.takeDescriptors(4).forEach(Fd::close);
    second.send(ControlCodec.write(new Serving("seccomp", List.of(), List.of())), List.of());
    await().atMost(PATIENCE).until(() -> isServing(sessions));
    assertThat(rig.processes.getFirst().isAlive()).isFalse();
    assertThat(rig.killed).hasSize(1);
  }

  /** Closing it would last as long as the host likes; all others would wait for its turns. */
  @Test
  void host_sendsADescriptorThatLingers_isEndedAndAnotherServes() throws Exception {
    try (LingeringFd lingering = new LingeringFd(rig.kernel);
        GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = awaitOrders();
      first.send("{}", List.of(lingering.fd()));
      lingering.giveUp();
      assertAnotherServes(sessions, first);
    }
  }

  /** In the socket it is closed with the connection. */
  @Test
  void host_leavesADescriptorThatLingersUnread_isEndedAndAnotherServes() throws Exception {
    try (LingeringFd lingering = new LingeringFd(rig.kernel);
        GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = awaitOrders();
      first.send("not an answer", List.of());
      try {
        first.send("{}", List.of(lingering.fd()));
      } catch (SyscallException _) {
        // it was ended before
      }
      lingering.giveUp();
      assertAnotherServes(sessions, first);
    }
  }

  /** The next cannot listen there; then there is another socket in the same place. */
  @Test
  void host_leavesTheSocketShutDown_anotherIsMadeForThoseWhoFollow() throws Exception {
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = rig.hosts.take();
      try (Fd listener = listener(first)) {
        rig.kernel.shutdown(listener);
      }
      assertThatThrownBy(() -> rig.kernel.connect(socket())).isInstanceOf(SyscallException.class);
      rig.processes.getFirst().exitValue = 1;
      rig.processes.getFirst().destroy();

      ControlLink second = rig.hosts.take();
      try (Fd listener = listener(second);
          Fd _ = rig.kernel.connect(socket());
          Fd accepted = rig.kernel.accept(listener)) {
        assertThat(accepted.number()).isPositive();
      }
    }
  }

  private static Fd listener(ControlLink host) throws Exception {
    assertThat(host.receive().orElseThrow()).contains("\"do\":\"serve\"");
    List<Fd> files = host.takeDescriptors(4);
    files.subList(1, 4).forEach(Fd::close);
    return files.getFirst();
  }

  /** As when too many descriptors of the daemon's user are under way. */
  @Test
  void host_whoseOrdersCannotBeSent_isEndedAndAnotherServes() throws Exception {
    rig.fail("sendmsg", "", new SyscallException("sendmsg", "injected", ETOOMANYREFS));
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      assertAnotherServes(sessions);
    }
  }

  @Test
  void host_thatNumbersItsSessionsAsItLikes_isEndedAndAnotherServes() throws Exception {
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = awaitOrders();
      first.send(ControlCodec.write(new Opened(Long.MAX_VALUE - 1, 1)), List.of());
      assertAnotherServes(sessions, first);
    }
  }

  /** As when the library of a device that hangs is loaded. */
  @Test
  void host_thatDoesNotComeToServe_isEnded() throws Exception {
    HostHearing hearing = rig.hearing("a", Duration.ofMillis(100));
    HostDoor.Started host = rig.door.start(rig::start, hearing.custody());
    String why =
        hearing.serve(host.process(), host.connection().get(), (_, _) -> new DeafListener());
    assertThat(why).isEqualTo("it does not come to serve");
    hearing.close();
  }

  /** As when its other end was passed to a process that lives on. */
  @Test
  void host_whoseProcessEndsAndItsLinkDoesNot_isEndedAndAnotherServes() throws Exception {
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = awaitOrders();
      rig.processes.getFirst().destroy();
      assertAnotherServes(sessions, first);
    }
  }

  @Test
  void host_whoseWordsDoNotEnd_isEndedAndAnotherServes() throws Exception {
    rig.endlessWords();
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink first = awaitOrders();
      first.send("not an answer", List.of());
      assertAnotherServes(sessions, first);
    }
  }

  /** The thread that hears hangs in what it was told: all else goes on. */
  @Test
  void host_thatIsNotHeardToItsEnd_leavesItsSeat() throws Exception {
    HostHearing hearing = rig.surroundings.hearing("a");
    List<Fd> pair = rig.kernel.socketpair();
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<TurnSeat> taken = new CompletableFuture<>();
    try (Fd _ = pair.get(1);
        hearing) {
      String why =
          hearing.serve(
              rig.process(),
              pair.get(0),
              (host, seat) -> {
                boolean _ = taken.complete(seat);
                host.end("it is to end");
                Uninterruptibles.awaitUninterruptibly(release);
                throw new IllegalStateException("released");
              });
      assertThat(why).isEqualTo("it is to end");
      rig.surroundings.turns().name(taken.join(), List.of("gpu")); // heard late: does nothing
      for (int i = 1; i < HostHearing.MOST_LEFT; i++) {
        hearing.leave(
            Thread.ofPlatform().start(() -> Uninterruptibles.awaitUninterruptibly(release)));
      }
      assertThatThrownBy(hearing::checkRoom).hasMessageContaining("not at their end");
    } finally {
      release.countDown();
    }
    await().atMost(PATIENCE).untilAsserted(hearing::checkRoom);
  }

  /** Its place would be missing to all other guests. */
  @Test
  void trial_thatAHostNeverAnswers_isGivenBack() throws Exception {
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      ControlLink host = awaitOrders();
      host.send(ControlCodec.write(new Serving("seccomp", List.of(), List.of())), List.of());
      await().atMost(PATIENCE).until(() -> isServing(sessions));
      SessionTrials trials =
          new SessionTrials(
              SessionDoor.CLOSED,
              _ -> Optional.of(sessions),
              rig.surroundings,
              Duration.ofMillis(100));
      for (int i = 0; i < SessionTrials.MOST; i++) {
        ask(trials);
      }
      await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> ask(trials));
    }
  }

  private void ask(SessionTrials trials) {
    rig.kernel.connect(trials.trial("a")).close();
  }

  private ControlLink awaitOrders() throws Exception {
    ControlLink first = rig.hosts.take();
    assertThat(first.receive().orElseThrow()).contains("\"do\":\"serve\"");
    first.takeDescriptors(4).forEach(Fd::close);
    return first;
  }

  private static boolean isServing(GuestSessions sessions) {
    return sessions.status().state().equals(SessionHostStatus.SERVING);
  }

  @Test
  void host_forWhichThereAreNoDescriptors_isEndedAndAnotherServes() throws Exception {
    rig.fail(
        "memfdCreate",
        "sluice-turns",
        new SyscallException("memfd_create", "", Errno.EMFILE.number()));
    try (GuestSessions sessions = sessions(rig::start)) {
      sessions.start();
      assertAnotherServes(sessions);
    }
  }

  @Test
  void host_forWhichThereIsNoThread_isEndedAndAnotherServes() throws Exception {
    try (GuestSessions sessions =
        sessions(() -> {
          Process started = rig.start();
          if (rig.processes.size() == 1) {
            rig.failThread(); // that hears its words
          }
          return started;
        })) {
      sessions.start();
      assertAnotherServes(sessions);
    }
  }

  @Test
  void host_startThrowsAnError_anotherServes() throws Exception {
    try (GuestSessions sessions =
        sessions(() -> {
          Process started = rig.start();
          if (rig.processes.size() == 1) {
            rig.processes.getFirst().destroy();
            rig.killed.add(started.pid());
            throw new OutOfMemoryError("injected");
          }
          return started;
        })) {
      sessions.start();
      assertAnotherServes(sessions);
    }
  }

  @Test
  void sideHost_forWhichThereIsNoThread_isEnded() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (HostMemory memory = new HostMemory(rig.kernel);
        SideHost side =
            new SideHost(
                "other",
                () -> {
                  Process started = rig.start();
                  rig.failThread();
                  return started;
                },
                new Stand("a", LIMITS, 1),
                true,
                new SideHost.GuestHostParts(
                    rig.door,
                    memory,
                    rig.surroundings.hearing("a"),
                    new HostedSessions(Optional::empty, () -> 0),
                    rig.surroundings),
                new SideHost.SideListener() {
                  @Override
                  public void ended(long session, String why) {}

                  @Override
                  public void moving(long session, String stage) {}

                  @Override
                  public void over() {
                    over.countDown();
                  }
                })) {
      over.await();
      assertThat(side.isOver()).isTrue();
      assertThat(rig.processes.getFirst().isAlive()).isFalse();
    }
  }
}
