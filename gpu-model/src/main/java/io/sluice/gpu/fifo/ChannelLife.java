package io.sluice.gpu.fifo;

/**
 * The life of a channel, and the two gates beside it.
 *
 * <pre>
 *            START    END
 *   NEW      LIVE     DEAD
 *   LIVE     -        DEAD
 *   DEAD     -        -
 * </pre>
 *
 * <p>The gates are independent of each other and of the phase: a channel can be suspended before it
 * starts, and detached while it is suspended. Suspended, it executes nothing; detached, it does not
 * read GP_PUT but goes on with what it has seen.
 */
final class ChannelLife {
  /** SLUICE_CHANNEL_NEW. */
  static final int STATE_NEW = 1;

  /** SLUICE_CHANNEL_RUNNING. */
  static final int STATE_RUNNING = 2;

  /** SLUICE_CHANNEL_SUSPENDED. */
  static final int STATE_SUSPENDED = 3;

  /** SLUICE_CHANNEL_DETACHED. */
  static final int STATE_DETACHED = 4;

  /** SLUICE_CHANNEL_DEAD. */
  static final int STATE_DEAD = 5;

  enum Phase {
    NEW,
    LIVE,
    DEAD
  }

  enum Step {
    START,
    END
  }

  private static final Phase[][] NEXT = new Phase[Phase.values().length][Step.values().length];

  static {
    for (Phase phase : Phase.values()) {
      for (Step step : Step.values()) {
        NEXT[phase.ordinal()][step.ordinal()] = phase;
      }
    }
    NEXT[Phase.NEW.ordinal()][Step.START.ordinal()] = Phase.LIVE;
    NEXT[Phase.NEW.ordinal()][Step.END.ordinal()] = Phase.DEAD;
    NEXT[Phase.LIVE.ordinal()][Step.END.ordinal()] = Phase.DEAD;
  }

  private Phase phase = Phase.NEW;
  private boolean suspended;
  private boolean detached;

  Phase phase() {
    return phase;
  }

  /** Takes a step; false when the phase does not have it. */
  boolean transition(Step step) {
    Phase next = NEXT[phase.ordinal()][step.ordinal()];
    boolean taken = next != phase;
    phase = next;
    return taken;
  }

  void suspended(boolean closed) {
    suspended = closed;
  }

  void detached(boolean closed) {
    detached = closed;
  }

  boolean isDetached() {
    return detached;
  }

  boolean isGated() {
    return suspended || detached;
  }

  /** Whether it may execute. */
  boolean isRunnable() {
    return phase == Phase.LIVE && !suspended;
  }

  /** SLUICE_CHANNEL_*; a channel that is suspended and detached reports the latter. */
  int state() {
    return switch (phase) {
      case DEAD -> STATE_DEAD;
      case NEW, LIVE -> {
        if (detached) {
          yield STATE_DETACHED;
        }
        if (suspended) {
          yield STATE_SUSPENDED;
        }
        yield phase == Phase.NEW ? STATE_NEW : STATE_RUNNING;
      }
    };
  }
}
