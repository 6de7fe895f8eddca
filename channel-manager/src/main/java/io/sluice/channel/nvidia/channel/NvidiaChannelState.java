package io.sluice.channel.nvidia.channel;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.sluice.channel.Channel.Status.Cause;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The states of a channel of RM, each with what it has, and which may follow which.
 *
 * <pre>
 *              start, restore            detach               drained
 *   PREPARED ─────────────────► RUNNING ───────► DETACHING ───────────► DETACHED
 *                                ▲   ▲            │     ▲                  │
 *                                │   │     attach ▼     │ detach           │
 *                                │   └────────── RETURNING                 │
 *                                │      drained                            │ attach
 *                                └─────────────────────────────────────────┘
 *
 *   all of these ──► ENDED (error or kill) ──► CLOSED; all of these ──► CLOSED
 * </pre>
 */
public sealed interface NvidiaChannelState {
  /** The name of a state. */
  enum Kind {
    /** A number and a control page; perhaps what a restore will need. */
    PREPARED,
    /** RM runs it, unless it is suspended. */
    RUNNING,
    /** The guest's page is a shadow; what was put goes on. */
    DETACHING,
    /** As DETACHING, and given back: it runs again once what was put has finished. */
    RETURNING,
    /** The guest's page is a shadow, and nothing that was put is unfinished. */
    DETACHED,
    /** Ended by an error or a kill; entered again when the error has been reported. */
    ENDED,
    /** Gone. */
    CLOSED;

    private static final ImmutableMap<Kind, ImmutableSet<Kind>> NEXT =
        Maps.immutableEnumMap(
            ImmutableMap.<Kind, ImmutableSet<Kind>>builder()
                .put(PREPARED, immutableEnumSet(PREPARED, RUNNING, ENDED, CLOSED))
                .put(RUNNING, immutableEnumSet(DETACHING, ENDED, CLOSED))
                .put(DETACHING, immutableEnumSet(RETURNING, DETACHED, ENDED, CLOSED))
                .put(RETURNING, immutableEnumSet(RUNNING, DETACHING, ENDED, CLOSED))
                .put(DETACHED, immutableEnumSet(RUNNING, DETACHED, ENDED, CLOSED))
                .put(ENDED, immutableEnumSet(ENDED, CLOSED))
                .put(CLOSED, ImmutableSet.of())
                .buildOrThrow());

    /** The states that may follow. */
    ImmutableSet<Kind> next() {
      return NEXT.getOrDefault(this, ImmutableSet.of());
    }

    /** Whether this state may be followed by another. */
    boolean canBecome(Kind other) {
      return next().contains(other);
    }
  }

  /** Its name. */
  Kind kind();

  /** The channel of RM; null where there is none. */
  default @Nullable HardwareChannel hardware() {
    return null;
  }

  /** The draining of one that is detached; null otherwise. */
  default @Nullable Detachment detachment() {
    return null;
  }

  /** One that has a ring, and has not ended. */
  sealed interface Live extends NvidiaChannelState {
    @Override
    HardwareChannel hardware();

    /** Where the guest puts what is to be done. */
    ChannelRing ring();
  }

  /** One that drains: DETACHING or RETURNING. */
  sealed interface Draining extends Live {
    @Override
    Detachment detachment();
  }

  /**
   * @param seeding what a restore will need, if it was asked for
   */
  record Prepared(Optional<Seeding> seeding) implements NvidiaChannelState {
    @Override
    public Kind kind() {
      return Kind.PREPARED;
    }
  }

  /** {@link Kind#RUNNING}. */
  record Running(HardwareChannel hardware, ChannelRing ring) implements Live {
    @Override
    public Kind kind() {
      return Kind.RUNNING;
    }
  }

  /** {@link Kind#DETACHING}. */
  record Detaching(HardwareChannel hardware, ChannelRing ring, Detachment detachment)
      implements Draining {
    @Override
    public Kind kind() {
      return Kind.DETACHING;
    }
  }

  /** {@link Kind#RETURNING}. */
  record Returning(HardwareChannel hardware, ChannelRing ring, Detachment detachment)
      implements Draining {
    @Override
    public Kind kind() {
      return Kind.RETURNING;
    }
  }

  /**
   * @param hardware the channel that has drained
   * @param savedPut GP_PUT when the state was saved; the guest has held still since
   */
  record Detached(
      HardwareChannel hardware, ChannelRing ring, Detachment detachment, OptionalInt savedPut)
      implements Live {
    @Override
    public Kind kind() {
      return Kind.DETACHED;
    }
  }

  /**
   * @param cause why
   * @param hardware what RM has ended and not yet freed
   * @param detachment its draining, if it was detached
   * @param errorPending RM has ended it, and the guest was not told
   */
  record Ended(
      Cause cause,
      @Nullable HardwareChannel hardware,
      @Nullable Detachment detachment,
      boolean errorPending)
      implements NvidiaChannelState {
    @Override
    public Kind kind() {
      return Kind.ENDED;
    }

    /** The same, and the guest was told. */
    Ended reported() {
      return new Ended(cause, hardware, detachment, false);
    }
  }

  /** {@link Kind#CLOSED}. */
  record Closed() implements NvidiaChannelState {
    @Override
    public Kind kind() {
      return Kind.CLOSED;
    }
  }
}
