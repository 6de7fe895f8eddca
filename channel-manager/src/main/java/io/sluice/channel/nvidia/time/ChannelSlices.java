package io.sluice.channel.nvidia.time;

import io.sluice.abi.RefusedException;
import io.sluice.channel.nvidia.channel.NvidiaChannel;
import io.sluice.channel.nvidia.channel.OpenChannels;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The time slices that a guest's weight is worth to its channels. Guarded by the open's lock. */
public final class ChannelSlices {
  private static final Logger log = LoggerFactory.getLogger(ChannelSlices.class);

  /** Weight of a channel of which nobody has said anything, among those of its guest. */
  private static final int USUAL_WEIGHT = 16;

  /** Where guests have no weights: 16 is about what RM gives a channel by itself. */
  private static final long MICROSECONDS_PER_WEIGHT = 64;

  private final TimeSlices shared;
  private final OpenChannels channels;
  private volatile int weight; // written under the lock, as the unit
  private volatile long slicedUnitNs;
  private boolean stopped;

  /**
   * @param shared what weights are worth on the card
   */
  public ChannelSlices(TimeSlices shared, OpenChannels channels) {
    this.shared = shared;
    this.channels = channels;
  }

  /** Another weight of the guest, which the card's {@link TimeSlices} know. */
  public void weigh(int newWeight) {
    weight = newWeight;
    divide();
  }

  /** The channels go: what is left of them gets no more. */
  public void stop() {
    stopped = true;
  }

  /**
   * Whether the unit has changed, by other guests' weights or by how many there are; any thread.
   */
  public boolean areStale() {
    return weight != 0 && shared.unitNs() != slicedUnitNs;
  }

  /** Divides again if the unit has changed. */
  public void refresh() {
    if (areStale()) {
      divide();
    }
  }

  /** Divides what the guest's weight is worth among its channels of each engine. */
  public void divide() {
    if (stopped) {
      return;
    }
    slicedUnitNs = shared.unitNs();
    Map<Integer, Integer> wholes = new HashMap<>();
    for (NvidiaChannel channel : channels.all()) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null) {
        wholes.merge(hardware.engineType(), part(channel), Integer::sum);
      }
    }
    for (NvidiaChannel channel : channels.all()) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null) {
        give(channel, hardware, wholes.getOrDefault(hardware.engineType(), 1));
      }
    }
  }

  private static int part(NvidiaChannel channel) {
    return channel.weight() == 0 ? USUAL_WEIGHT : channel.weight();
  }

  /** Of a channel that has ended RM may refuse it. */
  private void give(NvidiaChannel channel, HardwareChannel hardware, int whole) {
    try {
      if (weight != 0) {
        hardware.setTimeslice(TimeSlices.microseconds(slicedUnitNs, weight, part(channel), whole));
      } else if (channel.weight() != 0) {
        hardware.setTimeslice(channel.weight() * MICROSECONDS_PER_WEIGHT);
      }
    } catch (RefusedException e) {
      log.atWarn().addKeyValue("cid", channel.id()).setCause(e).log("no time slice was set");
    }
  }
}
