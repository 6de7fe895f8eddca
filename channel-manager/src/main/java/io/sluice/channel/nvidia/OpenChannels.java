package io.sluice.channel.nvidia;

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
      HardwareChannel hardware = channel.hardware();
      if (hardware != null && hardware.engineType() == engine) {
        return true;
      }
    }
    return false;
  }

  /** Whether some are to go on once they are looked at; takes no lock. */
  boolean wantTending() {
    for (NvidiaChannel channel : all) {
      if (channel.isAttaching()) {
        return true;
      }
    }
    return false;
  }

  // ---- taking access back ----

  /** Looks at those that are to go on; whether some still are. */
  boolean tend() {
    for (NvidiaChannel channel : all) {
      Detachment detachment = channel.detachment();
      if (detachment != null && channel.isAttaching()) {
        // Making a channel takes long: first of all the guest is let go where one waits.
        boolean _ = detachment.advance();
      }
    }
    boolean more = false;
    for (NvidiaChannel channel : all) {
      if (channel.isAttaching()) {
        channel.advance();
        more |= channel.isAttaching();
      }
    }
    return more;
  }

  /** Stops those of an address space that run; the caller lets them go on. */
  List<HardwareChannel> stop(NvidiaAddressSpace space) {
    List<HardwareChannel> stopped = new ArrayList<>();
    for (NvidiaChannel channel : all) {
      HardwareChannel hardware = channel.hardware();
      if (channel.space() == space && hardware != null && !hardware.isDisabled()) {
        hardware.setDisabled(true);
        stopped.add(hardware);
      }
    }
    return stopped;
  }

  /**
   * Whether all that are detached have come to the ends of what they may run. While one waits for
   * what another has yet to release they are given more.
   */
  boolean endOfDetached() {
    boolean ended = true;
    boolean impatient = false;
    for (NvidiaChannel channel : all) {
      Detachment detachment = channel.detachment();
      if (detachment != null) {
        ended &= detachment.isAtEnd();
        impatient |= detachment.isPatienceOver();
      }
    }
    if (impatient) {
      passOn();
    }
    return ended;
  }

  /** Gives what the guest has put to those that are detached. */
  private void passOn() {
    for (NvidiaChannel channel : all) {
      Detachment detachment = channel.detachment();
      if (detachment != null) {
        detachment.passOn();
      }
    }
  }
}
