package io.sluice.channel.nvidia.channel;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;

/**
 * The stages of a detachment, and which may follow which.
 *
 * <pre>
 *      ┌─────── more was passed on; also while it fetches
 *      ▼               │
 *   FETCHING ──────► AT_END ──────► POISONED ◄─┐ another poison
 *      │                            │  │  ▲ ───┘
 *      └── given back ──────────────┼► │  │ another poison
 *                                   │  ▼  │
 *                                   │  RELEASED ──► DRAINED
 *                                   └─────────────► DRAINED
 * </pre>
 */
public enum DetachmentState {
  /** The GPU fetches what was put, or waits for a semaphore in it; again when more is passed on. */
  FETCHING,
  /** All that was put is fetched, and waits for nothing; the guest's others may be needed. */
  AT_END,
  /** Poison stands behind it, and the guest holds still until that was run. */
  POISONED,
  /** What is before the poison waits; the guest goes on, and may take the poison's place. */
  RELEASED,
  /** All that was put has finished, and the poison is gone from the ring. */
  DRAINED;

  private static final ImmutableMap<DetachmentState, ImmutableSet<DetachmentState>> NEXT =
      Maps.immutableEnumMap(
          ImmutableMap.of(
              FETCHING, immutableEnumSet(FETCHING, AT_END, POISONED),
              AT_END, immutableEnumSet(FETCHING, POISONED),
              POISONED, immutableEnumSet(POISONED, RELEASED, DRAINED),
              RELEASED, immutableEnumSet(POISONED, DRAINED),
              DRAINED, ImmutableSet.of()));

  /** The stages that may follow. */
  ImmutableSet<DetachmentState> next() {
    return NEXT.getOrDefault(this, ImmutableSet.of());
  }

  /** Whether this stage may be followed by another. */
  boolean canBecome(DetachmentState other) {
    return next().contains(other);
  }

  /** Whether the GPU may be told of more entries, and there is no poison yet. */
  boolean takesMore() {
    return this == FETCHING || this == AT_END;
  }

  /** Whether poison stands in the ring. */
  boolean isPoisoned() {
    return this == POISONED || this == RELEASED;
  }
}
