package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.GpuVa;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import java.util.Optional;

/**
 * A channel.
 *
 * @param channelId the guest's id, also the index of its control page
 * @param space serial number of its address space
 * @param state where it stood
 * @param suspends suspends without a resume
 * @param ring its ring; empty before FIFO_INIT_IB
 * @param objects engine objects the guest declared
 * @param error why it ended; empty while it lives
 * @param engineState what the backend saved; empty when it never started, or has ended
 * @param setupSegment the words that set its engines up; may be empty
 */
public record ChannelRecord(
    int channelId,
    long space,
    ChannelState state,
    int suspends,
    Optional<RingRecord> ring,
    ImmutableList<EngineObject> objects,
    Optional<ChannelError> error,
    EngineState engineState,
    ImmutableIntArray setupSegment)
    implements StateRecord {
  /** Most engine objects. */
  public static final int MAX_OBJECTS = 64;

  /**
   * A ring.
   *
   * @param start GPU address
   * @param order 1 &lt;&lt; order entries
   * @param slimask pscnv's word
   */
  public record RingRecord(GpuVa start, int order, int slimask) {
    /** Refuses what no ring is. */
    public RingRecord {
      check(start.value() >= 0, "an address is not negative");
      check(order >= 0 && order <= GuestLimits.MAX_RING_ORDER, "a ring's order is in range");
    }
  }

  /**
   * An engine object.
   *
   * @param handle the guest's word
   * @param objectClass class of the engine
   * @param flags the guest's word
   */
  public record EngineObject(int handle, int objectClass, int flags) {}

  /** Refuses what no channel is. */
  public ChannelRecord {
    check(channelId > 0, "a channel's id is positive");
    check(space > 0, "a serial number is positive");
    check(state != ChannelState.FREED, "a channel that is gone has no record");
    check(suspends >= 0 && suspends <= GuestLimits.MAX_SUSPENDS, "suspends are in range");
    check(objects.size() <= MAX_OBJECTS, "engine objects are in range");
    check((state == ChannelState.DEAD) == error.isPresent(), "who ended has a reason");
    check(error.isEmpty() || error.get().reason() != 0, "a reason is not 0");
    check(
        setupSegment.length() <= GuestLimits.MAX_SETUP_WORDS,
        "a set-up segment has at most its length");
  }
}
