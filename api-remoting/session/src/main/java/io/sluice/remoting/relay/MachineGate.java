package io.sluice.remoting.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.state.StateException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The gate at which a session that lives on another host waits for its machine, which moves: for
 * the moment at which the machine is about to stop, and then for what becomes of it. Two sides move
 * it: the machine's, by the events that are waited for here, and the other host, whose words change
 * the {@link GateState}; one that comes out of turn changes nothing.
 */
final class MachineGate {
  /** The other host waits for an answer a little longer than this. */
  private static final int HALT_S = 540;

  private final Consumer<Departure.HaltedSession> halted;
  private final CompletableFuture<Void> halt = new CompletableFuture<>();
  private final CompletableFuture<Void> decided = new CompletableFuture<>();

  @GuardedBy("this")
  private GateState state = GateState.COPYING;

  /**
   * @param halted is told when it stands
   */
  MachineGate(Consumer<Departure.HaltedSession> halted) {
    this.halted = halted;
  }

  /** The one place that changes the state. */
  private synchronized void enter(GateState next) {
    if (!state.mayBecome(next)) {
      throw new AssertionError("no such transition, from=" + state + " to=" + next);
    }
    state = next;
  }

  /** The machine is about to stop. */
  void halt() {
    boolean _ = halt.complete(null);
  }

  /** It goes on here, or is at its end: whoever waits does so no more. */
  void decide() {
    boolean _ = decided.complete(null);
  }

  /**
   * The other host does not let it go any more. One that stands does so until it is decided: its
   * machine may be gone.
   *
   * @return false when it stands
   */
  synchronized boolean giveUp() {
    if (state.isStanding()) {
      return false;
    }
    boolean _ = resume();
    decide();
    return true;
  }

  /** Waits until the machine is about to stop. */
  void awaitHalt() throws StateException {
    await(CompletableFuture.anyOf(halt, decided), HALT_S, "its machine takes too long to move");
    if (!halt.isDone()) {
      throw new StateException("the move was given up");
    }
  }

  /** No call is taken any more. */
  synchronized void hold() {
    if (state == GateState.COPYING) {
      enter(GateState.HELD);
    }
  }

  /**
   * The other host goes on.
   *
   * @return whether calls may be taken again; else when it is decided
   */
  synchronized boolean resume() {
    switch (state) {
      case COPYING, HELD -> enter(GateState.RESUMED);
      case STANDING -> enter(GateState.OVERRULED);
      case OVERRULED, DECIDED, RESUMED -> {}
    }
    return !state.isStanding();
  }

  synchronized boolean isStanding() {
    return state.isStanding();
  }

  /**
   * Stands until it is decided what becomes of it.
   *
   * @throws StateException when it cannot stand, since the other host does not, or did not hold it
   */
  void stand(Departure.HaltedSession how) throws StateException {
    synchronized (this) {
      if (state != GateState.HELD) {
        throw new StateException("the other host does not let it stand");
      }
      enter(GateState.STANDING);
    }
    halted.accept(how);
    await(decided, Integer.MAX_VALUE, "nothing was decided");
  }

  /**
   * It stands no more.
   *
   * @return whether calls are to be taken again, which the other host has asked for already
   */
  synchronized boolean endStanding() {
    boolean overruled = state == GateState.OVERRULED;
    enter(GateState.DECIDED);
    return overruled;
  }

  private static void await(CompletableFuture<?> event, int seconds, String otherwise)
      throws StateException {
    try {
      Object _ = event.get(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } catch (TimeoutException _) {
      throw new StateException(otherwise + ", seconds=" + seconds);
    } catch (ExecutionException failed) {
      throw new StateException("the move failed: " + failed.getCause());
    }
  }
}
