package io.sluice.channel.nvidia;

import io.sluice.channel.nvidia.NvidiaChannelState.Draining;
import io.sluice.channel.nvidia.NvidiaChannelState.Returning;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The channels of an open, by the guest's ids. Guarded by the open's lock, but for {@link #all} and
 * what says that it takes none.
 */
final class OpenChannels {
  private final TreeMap<Integer, NvidiaChannel> byId = new TreeMap<>();
  private volatile List<NvidiaChannel> all = List.of();

  void add(NvidiaChannel channel) {
    byId.put(channel.id(), channel);
    all = List.copyOf(byId.values());
  }

  void remove(NvidiaChannel channel) {
    byId.remove(channel.id());
    all = List.copyOf(byId.values());
  }

  boolean has(int id) {
    return byId.containsKey(id);
  }

  int lowestFreeId() {
    int id = 1;
    while (byId.containsKey(id)) {
      id++;
    }
    return id;
  }

  /** By id, as they are now. */
  List<NvidiaChannel> all() {
    return all;
  }

  // ---- without the lock ----

  /** Whether a channel may have something to do; takes no lock. */
  boolean areActive() {
    for (NvidiaChannel channel : all) {
      if (channel.isActive()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel has entries that the GPU has not fetched; takes no lock. */
  boolean haveWork() {
    for (NvidiaChannel channel : all) {
      if (channel.waits()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel is on an engine; takes no lock. */
  boolean runOn(int engine) {
    for (NvidiaChannel channel : all) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null && hardware.engineType() == engine) {
        return true;
      }
    }
    return false;
  }

  /** Whether some drain, which {@link #poll} takes further; takes no lock. */
  boolean areDraining() {
    return all.stream().anyMatch(NvidiaChannel::isDraining);
  }

  /** Whether some are to run again once they have drained; takes no lock. */
  boolean areReturning() {
    return all.stream().anyMatch(channel -> channel.state() instanceof Returning);
  }

  // ---- taking access back ----

  /** Takes those that drain a step further. */
  void poll(long nowNs) {
    List<Detachment> draining = new ArrayList<>();
    for (NvidiaChannel channel : all) {
      if (channel.state() instanceof Draining state) {
        draining.add(state.detachment());
      }
    }
    // Making a channel takes long: first of all the guest is let go where one waits.
    Detachments.poll(draining, nowNs);
    for (NvidiaChannel channel : all) {
      channel.poll(nowNs);
    }
  }

  /** Stops those of an address space that run; the caller lets them go on. */
  List<HardwareChannel> stop(NvidiaAddressSpace space) {
    List<HardwareChannel> stopped = new ArrayList<>();
    for (NvidiaChannel channel : all) {
      HardwareChannel hardware = channel.state().hardware();
      if (channel.space() == space && hardware != null && !hardware.isDisabled()) {
        hardware.setDisabled(true);
        stopped.add(hardware);
      }
    }
    return stopped;
  }
}
