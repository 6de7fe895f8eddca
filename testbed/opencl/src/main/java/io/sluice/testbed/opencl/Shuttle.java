package io.sluice.testbed.opencl;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
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
 * Sessions that move all the time, from this process to this process or to another one, which may
 * have an OpenCL of another make: what a move takes along is made again, and what it forgets is
 * missing.
 */
final class Shuttle {
  private final SessionSettings settings;
  private final Optional<Path> peer;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, ServedSession> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger moves = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> givenUp = new ConcurrentLinkedQueue<>();

  /**
   * @param peer where another process takes sessions; empty to move them within this one
   */
  Shuttle(SessionSettings settings, Optional<Path> peer) {
    this.settings = settings;
    this.peer = peer;
  }

  /** Serves an application until it leaves, or moves for the first time. */
  void serve(Fd connection) {
    long number = numbers.incrementAndGet();
    try (connection) {
      new SessionLink(settings, number).serve(connection, session -> sessions.put(number, session));
    }
    sessions.computeIfPresent(number, (_, session) -> session.isServed() ? session : null);
  }

  /** Moves each session again and again. */
  void run(int pauseMs) {
    while (true) {
      LockSupport.parkNanos(pauseMs * 1_000_000L);
      sessions.forEach(this::move);
    }
  }

  private void move(long number, ServedSession from) {
    CountDownLatch arrived = new CountDownLatch(peer.isPresent() ? 0 : 1);
    try (StateLink link =
        new StateLink(
            settings.kernel(), peer.isPresent() ? connect(peer.get()) : here(number, arrived))) {
      Departure.Result _ = new Departure(from, link, _ -> {}).run(false);
      arrived.await();
      if (peer.isPresent()) {
        sessions.remove(number, from);
      }
      moves.incrementAndGet();
    } catch (UnmovableException refused) {
      failures.add(refused.getMessage());
    } catch (StateException lost) {
      // Sessions end at any time. One that does not, is tried again.
      givenUp.add(lost.getMessage());
      if (!from.isServed()) {
        sessions.remove(number, from);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failure) {
      failures.add(failure.toString());
      failure.printStackTrace();
    }
  }

  /** A link to another process, which may have been told to end. */
  private Fd connect(Path other) throws StateException {
    try {
      return settings.kernel().connect(other);
    } catch (SyscallException gone) {
      throw new StateException("the other process is gone: " + gone.getMessage());
    }
  }

  /** A link to an arrival in this process. */
  private Fd here(long number, CountDownLatch arrived) {
    List<Fd> pair = settings.kernel().socketpair();
    StandAloneHost.daemon("arrival", () -> arrive(number, pair.get(1), arrived)).start();
    return pair.get(0);
  }

  /** Takes a session of another process, and serves it. */
  void arrive(Fd socket) {
    arrive(numbers.incrementAndGet(), socket, new CountDownLatch(1));
  }

  private void arrive(long number, Fd socket, CountDownLatch arrived) {
    try (StateLink link = new StateLink(settings.kernel(), socket);
        Arrival arrival = Arrival.begin(settings, link)) {
      arrival.awaitGo();
      sessions.put(number, arrival.session());
      arrived.countDown();
      arrival.serve();
      sessions.remove(number, arrival.session());
    } catch (StateException lost) {
      givenUp.add("arrival: " + lost.getMessage());
    } catch (RuntimeException failure) {
      failures.add("arrival: " + failure);
      failure.printStackTrace();
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("moves: " + moves + "\n");
    failures.forEach(failure -> text.append("refused: ").append(failure).append('\n'));
    givenUp.forEach(reason -> text.append("given up: ").append(reason).append('\n'));
    return text.toString();
  }
}
