package io.sluice.migrate.phase;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one thing, and the one place that changes it: each change is checked against the
 * table. What belongs to a state is in that state's own record, so that it is there when, and only
 * when, it means something. Any thread may read and change it. The times of changes are not kept
 * here: a state that must know its own has it in its record, and those of the phases, which
 * operators see, are in the {@link PhaseLog}.
 *
 * @param <K> the table
 * @param <S> the sealed type of the states' records
 */
public final class StateMachine<K extends Stage<K>, S extends StateMachine.State<K>> {
  private static final Logger LOG = LoggerFactory.getLogger(StateMachine.class);

  /** A state with its data. */
  public interface State<K> {
    /** Its row in the table. */
    K stage();
  }

  private final String name;
  private volatile S state; // written by this

  /**
   * @param name of the thing, for the log
   */
  public StateMachine(String name, S first) {
    this.name = name;
    state = first;
  }

  /** The present state. */
  public S state() {
    return state;
  }

  /** Its row in the table. */
  public K stage() {
    return state.stage();
  }

  /**
   * Changes the state.
   *
   * @throws AssertionError when the table has no such change
   */
  public void enter(S next, String reason) {
    if (!enterIfLegal(next, reason)) {
      throw new AssertionError("no such transition, from=" + stage() + " to=" + next.stage());
    }
  }

  /** Changes the state, unless another thread has brought it where the table has no such change. */
  public synchronized boolean enterIfLegal(S next, String reason) {
    K from = state.stage();
    if (!from.canBecome(next.stage())) {
      return false;
    }
    state = next;
    LOG.atDebug()
        .addKeyValue("of", name)
        .addKeyValue("from", from)
        .addKeyValue("to", next)
        .addKeyValue("reason", reason)
        .log("state");
    return true;
  }
}
