package io.sluice.channel.nvidia.relay;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;

/**
 * The states of a CUDA program, and which may follow which.
 *
 * <pre>
 *            ┌── it does not come to rest ──┐
 *            ▼                              │
 *        RUNNING ──► HOLDING ───────────────┤
 *            ▲          │                   │
 *            │          ▼                   │
 *        RESUMING ◄─ SUSPENDED ◄─ RESUMING  │
 *
 *   each but ENDED ──► ENDED
 * </pre>
 */
public enum ProgramState {
  /** Its channels are on the card. */
  RUNNING,
  /** What it has submitted runs to its end; what it submits from now on waits. */
  HOLDING,
  /** It has nothing on the card: what was in video memory is kept in the host's. */
  SUSPENDED,
  /** All that it had is made anew. */
  RESUMING,
  /** It has left, or was sent away. */
  ENDED;

  private static final ImmutableMap<ProgramState, ImmutableSet<ProgramState>> NEXT =
      Maps.immutableEnumMap(
          ImmutableMap.of(
              RUNNING, immutableEnumSet(HOLDING, ENDED),
              HOLDING, immutableEnumSet(RUNNING, SUSPENDED, ENDED),
              SUSPENDED, immutableEnumSet(RESUMING, ENDED),
              RESUMING, immutableEnumSet(RUNNING, SUSPENDED, ENDED),
              ENDED, ImmutableSet.of()));

  /** The states that may follow. */
  ImmutableSet<ProgramState> next() {
    return NEXT.getOrDefault(this, ImmutableSet.of());
  }

  /** Whether this state may be followed by another. */
  boolean canBecome(ProgramState other) {
    return next().contains(other);
  }
}
