package io.sluice.channel.nvidia.channel;

import io.sluice.channel.nvidia.channel.NvidiaChannelState.Draining;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of an open, by the guest's ids. Guarded by the open's lock, but for {@link #all} and
 * what says that it takes none.
 */
public final class OpenChannels {
  private static final Logger log = LoggerFactory.getLogger(OpenChannels.class);

  private final TreeMap<Integer, NvidiaChannel> byId = new TreeMap<>();
  private volatile List<NvidiaChannel> all = List.of();
  private volatile DrainStep last = new DrainStep.Taken();

  /** The last step of a drain. */
  private sealed interface DrainStep {
    /** It was taken, or is yet to be. */
    record Taken() implements DrainStep {}

    /** It failed, and is tried again. */
    record Failed(RuntimeException why, long atNs) implements DrainStep {}
  }

  public void add(NvidiaChannel channel) {
    byId.put(channel.id(), channel);
    all = List.copyOf(byId.values());
  }

  public void remove(int id) {
    byId.remove(id);
    all = List.copyOf(byId.values());
  }

  public boolean has(int id) {
    return byId.containsKey(id);
  }

  public int lowestFreeId() {
    int id = 1;
    while (byId.containsKey(id)) {
      id++;
    }
    return id;
  }

  /** By id, as they are now. */
  public List<NvidiaChannel> all() {
    return all;
  }

  // ---- without the lock ----

  /** Whether a channel may have something to do; takes no lock. */
  public boolean areActive() {
    for (NvidiaChannel channel : all) {
      if (channel.isActive()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel has entries that the GPU has not fetched; takes no lock. */
  public boolean haveWork() {
    for (NvidiaChannel channel : all) {
      if (channel.waits()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel is on an engine; takes no lock. */
  public boolean runOn(int engine) {
    for (NvidiaChannel channel : all) {
      HardwareChannel hardware = channel.state().hardware();
      if (hardware != null && hardware.engineType() == engine) {
        return true;
      }
    }
    return false;
  }

  /** Whether some drain, which {@link #poll} takes further; takes no lock. */
  public boolean areDraining() {
    return all.stream().anyMatch(NvidiaChannel::isDraining);
  }

  /** In how many nanoseconds {@link #poll} may find one a step further; takes no lock. */
  public long pollDueInNs(long nowNs) {
    if (last instanceof DrainStep.Failed(_, long atNs)) {
      return Math.max(0, atNs + DrainPace.FAILED_NS - nowNs);
    }
    long due = Long.MAX_VALUE;
    for (NvidiaChannel channel : all) {
      if (channel.state() instanceof Draining draining) {
        due = Math.min(due, DrainPace.after(nowNs - draining.detachment().enteredNs()));
      }
    }
    return due;
  }

  // ---- taking access back ----

  /** A drain begins, or is to go on in another way. */
  public void noteDrain() {
    last = new DrainStep.Taken();
  }

  /** Throws what the last step failed with, if some drain; takes no lock. */
  public void requireStep() {
    if (last instanceof DrainStep.Failed(RuntimeException why, _) && areDraining()) {
      throw why;
    }
  }

  /** Takes those that drain a step further; one that has failed is tried again after a while. */
  public void poll(long nowNs) {
    if (last instanceof DrainStep.Failed && pollDueInNs(nowNs) > 0) {
      return;
    }
    try {
      takeStep(nowNs);
      last = new DrainStep.Taken();
    } catch (RuntimeException e) {
      // Told to one who waits for it; nobody else's drain waits because of it.
      log.atWarn().setCause(e).log("a step of a drain has failed, and is tried again");
      last = new DrainStep.Failed(e, nowNs);
    }
  }

  private void takeStep(long nowNs) {
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
  public List<HardwareChannel> stop(NvidiaAddressSpace space) {
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
