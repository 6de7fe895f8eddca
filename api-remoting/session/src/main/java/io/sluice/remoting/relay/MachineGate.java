package io.sluice.remoting.relay;

import io.sluice.remoting.session.Departure;
import io.sluice.remoting.state.StateException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The gate at which a session that lives on another host waits for its machine, which moves: for
 * the moment at which the machine is about to stop, and then for what becomes of it.
 *
 * <pre>
 *   copies → halt → held → stands → decided: it goes on here, or ends with the machine
 * </pre>
 */
final class MachineGate {
  /** The other host waits for an answer a little longer than this. */
  private static final int HALT_S = 540;

  private final Consumer<Departure.Halted> halted;
  private final CompletableFuture<Void> halt = new CompletableFuture<>();
  private final CompletableFuture<Void> decided = new CompletableFuture<>();
  private boolean held; // no call is taken; by this
  private boolean standing; // by this
  private boolean resumed; // the other host has given it up; by this

  /**
   * @param halted is told when it stands
   */
  MachineGate(Consumer<Departure.Halted> halted) {
    this.halted = halted;
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
    if (!standing) {
      resumed = true;
      decide();
    }
    return !standing;
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
    held = true;
  }

  /** Whether calls may be taken again, now that the other host goes on: else when it is decided. */
  synchronized boolean mayResume() {
    resumed = true;
    return !standing;
  }

  synchronized boolean isStanding() {
    return standing;
  }

  /**
   * Stands until it is decided what becomes of it.
   *
   * @throws StateException when it cannot stand, since the other host does not, or did not hold it
   */
  void stand(Departure.Halted how) throws StateException {
    synchronized (this) {
      if (!held || resumed) {
        throw new StateException("the other host does not let it stand");
      }
      standing = true;
    }
    halted.accept(how);
    await(decided, Integer.MAX_VALUE, "nothing was decided");
  }

  /** It stands no more: whether nobody else has it go on. */
  synchronized boolean hasToResume() {
    standing = false;
    return resumed;
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
