package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.ProgramTurn;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a CUDA program: its {@linkplain ProgramState state}, and whether a call of it is
 * under way. A call has the turn, which it gives back while it waits for others, and begins only
 * while the program has the card. Whoever changes the state has the turn; any thread reads it.
 */
final class ProgramLife {
  private static final Logger log = LoggerFactory.getLogger(ProgramLife.class);

  /** Between looks at whether a program has left that waits for the card. */
  private static final long LOOK_NS = 100_000_000;

  private final long number;
  private final ProgramTurn turn;
  private final BooleanSupplier isGone;
  private final LongSupplier clock;
  private volatile ProgramState state = ProgramState.RUNNING; // written under the turn
  private boolean calling; // under the turn
  private volatile boolean leaving; // told to whoever has the turn

  /**
   * @param isGone whether the program has left, asked by the thread that serves it
   */
  ProgramLife(long number, ProgramTurn turn, BooleanSupplier isGone, LongSupplier clock) {
    this.number = number;
    this.turn = turn;
    this.isGone = isGone;
    this.clock = clock;
  }

  ProgramState state() {
    return state;
  }

  boolean isRunning() {
    return state == ProgramState.RUNNING;
  }

  boolean hasEnded() {
    return state == ProgramState.ENDED;
  }

  /** Refuses with EBUSY and a code what another state does not allow. */
  void require(ProgramState wanted, RelayCode code) {
    if (state != wanted) {
      throw new RefusedException(
          code, Errno.EBUSY, "the program is " + state.name().toLowerCase(Locale.ROOT), "");
    }
  }

  /** The one place that changes the state. */
  void enter(ProgramState next, long nowNs, String reason) {
    if (!state.canBecome(next)) {
      throw new IllegalStateException("program " + number + ": " + state + " to " + next);
    }
    log.atTrace()
        .addKeyValue("program", number)
        .addKeyValue("from", state)
        .addKeyValue("to", next)
        .addKeyValue("atNs", nowNs)
        .addKeyValue("reason", reason)
        .log("program");
    state = next;
    turn.tellAll();
  }

  /** It leaves, or has to. */
  void leave() {
    leaving = true;
  }

  boolean isLeaving() {
    return leaving;
  }

  // ---- calls ----

  /**
   * Takes the turn for a call, once the program has the card.
   *
   * @throws SyscallException EIO when it leaves before
   */
  void beginCall() {
    while (!turn.tryTake(LOOK_NS)) {
      requireThere();
    }
    while (!isRunning()) {
      turn.await(LOOK_NS);
      boolean there = false;
      try {
        requireThere();
        there = true;
      } finally {
        if (!there) {
          turn.giveBack();
        }
      }
    }
    calling = true;
  }

  private void requireThere() {
    if (isGone.getAsBoolean()) {
      leave();
      throw new SyscallException("ioctl", "the program has left", Errno.EIO.number());
    }
  }

  /** The call is over: gives the turn back. */
  void endCall() {
    calling = false;
    turn.tellAll();
    turn.giveBack();
  }

  /** A call that was begun before ends first: it may wait for others, without the turn. */
  void awaitCall(long until) throws Denial {
    while (calling) {
      turn.await(LOOK_NS);
      if (leaving || clock.getAsLong() - until > 0) {
        throw new Denial(RmStatus.TIMEOUT, "a call of it does not come to an end");
      }
    }
  }
}
