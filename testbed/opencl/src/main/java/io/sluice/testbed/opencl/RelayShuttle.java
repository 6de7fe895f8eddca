package io.sluice.testbed.opencl;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sessions that leave their application's memory behind, and come back to it: all that either end
 * has of the application came over a socket that carries no descriptors.
 */
final class RelayShuttle {
  /** A far end's words when it serves a session, and when nobody is served any more. */
  static final String COME = "a session came";

  static final String GONE = "a session went";

  private final SessionSettings settings;
  private final boolean comeBack;
  private final Optional<Path> peer;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, ServedSession> near = new ConcurrentHashMap<>();
  private final Map<Long, SessionRelay> far = new ConcurrentHashMap<>();
  private final AtomicInteger moves = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> givenUp = new ConcurrentLinkedQueue<>();

  /**
   * @param comeBack whether sessions come back and leave again, or stay away
   * @param peer where another process has the far ends; empty for this one
   */
  RelayShuttle(SessionSettings settings, boolean comeBack, Optional<Path> peer) {
    this.peer = peer;
    this.settings = settings;
    this.comeBack = comeBack;
  }

  /** Serves an application until it leaves, or its session moves for the first time. */
  void serve(Fd connection) {
    long number = numbers.incrementAndGet();
    try (connection) {
      new SessionLink(settings, number)
          .serve(
              connection,
              session -> {
                near.put(number, session);
                if (!comeBack) {
                  StandAloneHost.daemon("departure", () -> leave(number, session)).start();
                }
              });
    }
    near.computeIfPresent(number, (_, session) -> session.isServed() ? session : null);
  }

  /** Moves each session again and again. */
  void run(int pauseMs) {
    while (comeBack) {
      LockSupport.parkNanos(pauseMs * 1_000_000L);
      near.forEach(this::leave);
      far.forEach(this::comeBack);
    }
  }

  private void leave(long number, ServedSession session) {
    Fd net;
    try {
      net = peer.map(settings.kernel()::connect).orElseGet(this::farEnd);
    } catch (SyscallException nobody) {
      givenUp.add(nobody.getMessage());
      return;
    }
    List<Fd> state = settings.kernel().socketpair();
    CountDownLatch there = new CountDownLatch(1);
    StandAloneHost.daemon("relay", () -> relay(number, state.get(1), net, there)).start();
    try (StateLink link = new StateLink(settings.kernel(), state.get(0))) {
      Departure.Result _ = new Departure(session, link, _ -> {}).run(false);
      near.remove(number, session);
      there.await();
      moves.incrementAndGet();
    } catch (UnmovableException refused) {
      failures.add(refused.getMessage());
    } catch (StateException lost) {
      givenUp.add(lost.getMessage());
      if (!session.isServed()) {
        near.remove(number, session);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failure) {
      failed("departure", failure);
    }
  }

  private void relay(long number, Fd state, Fd net, CountDownLatch there) {
    try (StateLink from = new StateLink(settings.kernel(), state);
        StateLink to = new StateLink(settings.kernel(), net);
        SessionRelay relay = SessionRelay.begin(settings, from, to)) {
      relay.awaitGo();
      far.put(number, relay);
      there.countDown();
      relay.serve();
      far.remove(number, relay);
    } catch (StateException lost) {
      givenUp.add("relay: " + lost.getMessage());
    } catch (RuntimeException failure) {
      failed("relay", failure);
    } finally {
      there.countDown(); // whoever waits for one that does not come, too
    }
  }

  /** A far end in this process. */
  private Fd farEnd() {
    List<Fd> net = settings.kernel().socketpair();
    StandAloneHost.daemon("mirror", () -> mirror(net.get(1))).start();
    return net.get(0);
  }

  /** Serves a session of another process' application. */
  void mirror(Fd net) {
    try (StateLink link = new StateLink(settings.kernel(), net);
        Mirror mirror = Mirror.begin(settings, link)) {
      System.err.println(COME);
      mirror.serve();
      System.err.println(GONE);
    } catch (StateException lost) {
      givenUp.add("mirror: " + lost.getMessage());
    } catch (RuntimeException failure) {
      failed("mirror", failure);
    }
  }

  private void comeBack(long number, SessionRelay relay) {
    List<Fd> state = settings.kernel().socketpair();
    CountDownLatch here = new CountDownLatch(1);
    StandAloneHost.daemon("arrival", () -> arrive(number, state.get(1), here)).start();
    try (StateLink link = new StateLink(settings.kernel(), state.get(0))) {
      Departure.Result _ = relay.recall(link, false, _ -> {});
      far.remove(number, relay);
      here.await();
      moves.incrementAndGet();
    } catch (UnmovableException refused) {
      failures.add(refused.getMessage());
    } catch (StateException lost) {
      givenUp.add("return: " + lost.getMessage());
      if (!relay.linked().isServed()) {
        far.remove(number, relay);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failure) {
      failed("return", failure);
    }
  }

  private void arrive(long number, Fd socket, CountDownLatch here) {
    try (StateLink link = new StateLink(settings.kernel(), socket);
        Arrival arrival = Arrival.begin(settings, link)) {
      arrival.awaitGo();
      near.put(number, arrival.session());
      here.countDown();
      arrival.serve();
      near.remove(number, arrival.session());
    } catch (StateException lost) {
      givenUp.add("arrival: " + lost.getMessage());
    } catch (RuntimeException failure) {
      failed("arrival", failure);
    } finally {
      here.countDown();
    }
  }

  private void failed(String what, RuntimeException failure) {
    failures.add(what + ": " + failure);
    failure.printStackTrace();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("moves: " + moves + "\n");
    failures.forEach(failure -> text.append("refused: ").append(failure).append('\n'));
    givenUp.forEach(reason -> text.append("given up: ").append(reason).append('\n'));
    return text.toString();
  }
}
