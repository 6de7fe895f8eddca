package io.sluice.channel.state;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.sluice.abi.guest.GuestAbi;

/**
 * The state of a channel, with the transitions that are legal.
 *
 * <pre>
 *          start            suspend
 *   NEW ─────────► RUNNING ◄────────► SUSPENDED ◄── NEW: started while suspended, or restored
 *                   │   ▲    resume    ▲
 *            detach │   │ attach       │ attach while suspended
 *                   ▼   │              │
 *                 DRAINING ────────────┤
 *                   │ nothing is left  │
 *                   ▼                  │
 *                 DETACHED ────────────┘ and to RUNNING
 *
 *   all of them ──► DEAD (error or kill) ──► FREED; all of them ──► FREED
 * </pre>
 *
 * <p>A suspended channel cannot be detached: it would never drain. Suspending while draining or
 * detached is counted and takes effect at attach. The guest sees {@link #code}; it cannot tell
 * DRAINING from DETACHED, as its page is a shadow in both.
 */
public enum ChannelState {
  /** No ring yet. */
  NEW(GuestAbi.CHANNEL_NEW),
  /** Takes entries. */
  RUNNING(GuestAbi.CHANNEL_RUNNING),
  /** Takes no entries; its page stays live. */
  SUSPENDED(GuestAbi.CHANNEL_SUSPENDED),
  /** Its page is a shadow; what was put before goes on. */
  DRAINING(GuestAbi.CHANNEL_DETACHED),
  /** Its page is a shadow and nothing that was put is unfinished. */
  DETACHED(GuestAbi.CHANNEL_DETACHED),
  /** Ended by an error or a kill; only freeing is left. */
  DEAD(GuestAbi.CHANNEL_DEAD),
  /** Gone. */
  FREED(0);

  private static final ImmutableMap<ChannelState, ImmutableSet<ChannelState>> NEXT =
      Maps.immutableEnumMap(
          ImmutableMap.<ChannelState, ImmutableSet<ChannelState>>builder()
              .put(NEW, immutableEnumSet(RUNNING, SUSPENDED, DEAD, FREED))
              .put(RUNNING, immutableEnumSet(SUSPENDED, DRAINING, DEAD, FREED))
              .put(SUSPENDED, immutableEnumSet(RUNNING, DEAD, FREED))
              .put(DRAINING, immutableEnumSet(DETACHED, RUNNING, SUSPENDED, DEAD, FREED))
              .put(DETACHED, immutableEnumSet(RUNNING, SUSPENDED, DEAD, FREED))
              .put(DEAD, immutableEnumSet(FREED))
              .put(FREED, ImmutableSet.of())
              .buildOrThrow());

  private final int code;

  ChannelState(int code) {
    this.code = code;
  }

  /** SLUICE_CHANNEL_*; 0 for a channel that is gone. */
  public int code() {
    return code;
  }

  /**
   * The state that a backend reports by its code.
   *
   * @param drained tells DETACHED from DRAINING
   */
  public static ChannelState of(int code, boolean drained) {
    return switch (code) {
      case GuestAbi.CHANNEL_NEW -> NEW;
      case GuestAbi.CHANNEL_RUNNING -> RUNNING;
      case GuestAbi.CHANNEL_SUSPENDED -> SUSPENDED;
      case GuestAbi.CHANNEL_DETACHED -> drained ? DETACHED : DRAINING;
      case GuestAbi.CHANNEL_DEAD -> DEAD;
      default -> throw new IllegalArgumentException("no state of a channel, code=" + code);
    };
  }

  /** The states that may follow. */
  public ImmutableSet<ChannelState> next() {
    return NEXT.getOrDefault(this, ImmutableSet.of());
  }

  /** Whether this state may be followed by another. */
  public boolean canBecome(ChannelState other) {
    return next().contains(other);
  }

  /** Whether the channel has a ring and has not ended. */
  public boolean isStarted() {
    return this == RUNNING || this == SUSPENDED || this == DRAINING || this == DETACHED;
  }

  /** Whether the guest's page is a shadow. */
  public boolean isDetached() {
    return this == DRAINING || this == DETACHED;
  }
}
