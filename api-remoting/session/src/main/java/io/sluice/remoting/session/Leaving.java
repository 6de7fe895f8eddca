package io.sluice.remoting.session;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.UnmovableException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The move of a session away with its machine, or a trial of it. */
public interface Leaving {
  /**
   * Moves the session of a machine that moves: copies until {@link #halt}, makes the other host
   * ready, and leaves the session standing until it is given up, or ends. Whether the other host
   * goes on is the machine's matter.
   *
   * @param halted is told when the other host is ready
   * @throws UnmovableException when it cannot be moved, because of what it has
   * @throws StateException when it was not moved for another reason; it goes on here either way
   */
  void leave(Consumer<Departure.HaltedSession> halted) throws UnmovableException, StateException;

  /**
   * Finds out whether the session could move with its machine; it goes on. What the other host has
   * made for that is there until it is told that the session stays.
   *
   * @throws UnmovableException when it cannot be moved, because of what it has
   * @throws StateException when that was not found out
   */
  Departure.Result tryOut() throws UnmovableException, StateException;

  /**
   * The machine is near its stop: what takes long is brought to its end, and not begun anew until
   * the move is over; from any thread.
   *
   * @return done when that is so, cannot be, or the move is over
   */
  CompletableFuture<?> approach();

  /** The machine is about to stop: so does its session; from any thread. */
  void halt();

  /** The session goes on here; from any thread. */
  void giveUp();
}
