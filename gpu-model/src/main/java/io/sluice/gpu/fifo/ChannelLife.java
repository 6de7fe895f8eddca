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

  enum LifePhase {
    NEW,
    LIVE,
    DEAD
  }

  enum LifeStep {
    START,
    END
  }

  private static final LifePhase[][] NEXT =
      new LifePhase[LifePhase.values().length][LifeStep.values().length];

  static {
    for (LifePhase phase : LifePhase.values()) {
      for (LifeStep step : LifeStep.values()) {
        NEXT[phase.ordinal()][step.ordinal()] = phase;
      }
    }
    NEXT[LifePhase.NEW.ordinal()][LifeStep.START.ordinal()] = LifePhase.LIVE;
    NEXT[LifePhase.NEW.ordinal()][LifeStep.END.ordinal()] = LifePhase.DEAD;
    NEXT[LifePhase.LIVE.ordinal()][LifeStep.END.ordinal()] = LifePhase.DEAD;
  }

  private LifePhase phase = LifePhase.NEW;
  private boolean suspended;
  private boolean detached;

  LifePhase phase() {
    return phase;
  }

  /** Takes a step; false when the phase does not have it. */
  boolean transition(LifeStep step) {
    LifePhase next = NEXT[phase.ordinal()][step.ordinal()];
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
    return phase == LifePhase.LIVE && !suspended;
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
        yield phase == LifePhase.NEW ? STATE_NEW : STATE_RUNNING;
      }
    };
  }
}
