package io.sluice.channel.nvidia.time;

import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.channel.NvidiaChannel;
import io.sluice.channel.nvidia.channel.OpenChannels;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The time slices that a guest's weight is worth to its channels. Guarded by the open's lock. */
public final class ChannelSlices {
  private static final Logger log = LoggerFactory.getLogger(ChannelSlices.class);

  /** Where guests have no weights: 16 is about what RM gives a channel by itself. */
  private static final long MICROSECONDS_PER_WEIGHT = 64;

  /** Between two divisions for changes that the guest's programs make. */
  private static final long PACE_NS = 250_000_000;

  private final GuestSlices guest;
  private final OpenChannels channels;
  private volatile GuestSlices.Stamp dividedBy; // written under the lock
  private volatile boolean hasChannels;
  private long dividedNs;
  private boolean stopped;

  /**
   * @param guest what its weight is worth
   */
  public ChannelSlices(GuestSlices guest, OpenChannels channels) {
    this.guest = guest;
    this.channels = channels;
    dividedBy = guest.stamp();
  }

  /** Another weight of the guest. */
  public void weigh(int newWeight) {
    guest.weigh(newWeight);
    divide();
  }

  /** The channels go: what is left of them gets no more. */
  public void stop() {
    stopped = true;
    guest.put(this, Map.of());
  }

  /**
   * Whether slices are worth something else, by other guests' weights or by how many there are, or
   * are divided among more; any thread.
   */
  public boolean areStale() {
    return hasChannels && !guest.stamp().equals(dividedBy);
  }

  /** Divides again what is stale; soon, if only by what programs do. */
  public void refresh(long nowNs) {
    GuestSlices.Stamp now = guest.stamp();
    boolean isWorthAnother =
        now.unitNs() != dividedBy.unitNs() || now.weight() != dividedBy.weight();
    if (areStale() && (isWorthAnother || nowNs - dividedNs >= PACE_NS)) {
      dividedNs = nowNs;
      divide();
    }
  }

  /** Divides what the guest's weight is worth among its channels of each engine. */
  public void divide() {
    if (stopped) {
      return;
    }
    Map<Integer, Integer> wholes = new HashMap<>();
    for (NvidiaChannel channel : channels.all()) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null) {
        wholes.merge(hardware.engineType(), part(channel), Integer::sum);
      }
    }
    hasChannels = !wholes.isEmpty();
    guest.put(this, wholes);
    dividedBy = guest.stamp();
    for (NvidiaChannel channel : channels.all()) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null) {
        give(channel, hardware);
      }
    }
  }

  private static int part(NvidiaChannel channel) {
    return channel.weight() == 0 ? GuestSlices.USUAL_PART : channel.weight();
  }

  /** Of a channel that has ended RM may refuse it. */
  private void give(NvidiaChannel channel, HardwareChannel hardware) {
    try {
      OptionalLong slice = guest.microseconds(hardware.engineType(), part(channel));
      if (slice.isPresent()) {
        hardware.setTimeslice(slice.getAsLong());
      } else if (channel.weight() != 0) {
        hardware.setTimeslice(channel.weight() * MICROSECONDS_PER_WEIGHT);
      }
    } catch (RefusedException e) {
      log.atWarn().addKeyValue("cid", channel.id()).setCause(e).log("no time slice was set");
    }
  }
}
