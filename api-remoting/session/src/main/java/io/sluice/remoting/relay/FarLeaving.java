package io.sluice.remoting.relay;

import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The move of a session with its machine, from another host: what it is comes from there, through
 * the near end, and goes where the machine goes.
 */
final class FarLeaving implements Leaving {
  private final SessionRelay relay;
  private final StateLink link;
  private final Consumer<StateStage> entered;
  private final MachineGate gate = new MachineGate(this::stands);
  private @Nullable Consumer<Departure.HaltedSession> halted; // set before the gate is passed
  private volatile boolean decided;

  /**
   * @param link to the host that gets it; stays the caller's
   * @param entered is told each stage as it begins
   */
  FarLeaving(SessionRelay relay, StateLink link, Consumer<StateStage> entered) {
    this.relay = relay;
    this.link = link;
    this.entered = entered;
  }

  @Override
  public void leave(Consumer<Departure.HaltedSession> listener)
      throws UnmovableException, StateException {
    halted = listener;
    try {
      Departure.Result _ = relay.recall(link, false, entered, gate);
    } catch (UnmovableException | StateException stays) {
      if (!decided) { // else it goes on, as was decided
        throw stays;
      }
    }
  }

  private void stands(Departure.HaltedSession how) {
    decided = true;
    Consumer<Departure.HaltedSession> listener = halted;
    if (listener != null) {
      listener.accept(how);
    }
  }

  @Override
  public Departure.Result tryOut() throws UnmovableException, StateException {
    return relay.recall(link, true, entered, gate);
  }

  /** Calls go on at the other host until the machine is about to stop, whatever they take. */
  @Override
  public CompletableFuture<?> approach() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void halt() {
    gate.halt();
  }

  @Override
  public void giveUp() {
    gate.decide();
    relay.stay();
  }
}
