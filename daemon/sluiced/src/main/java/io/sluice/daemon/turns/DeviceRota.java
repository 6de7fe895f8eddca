package io.sluice.daemon.turns;

import io.sluice.quota.Quota;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rota of one device: which session host's turn it is. Each guest has a virtual time, the time
 * of its turns divided by its weight, and the one with the least is next. A turn that nobody else
 * wants goes on; one that another wants ends when its host has no work, or after {@link #TURN_NS}
 * if its guest has had more than whoever waits. Then the grant is taken back, and the host lets
 * what it has queued come to its end. A host that does not within its guest's kill-timeout is
 * ended; on processors time counts in which its process had one.
 *
 * <p>Time is charged while somebody waits; who comes after a while has no more than the others.
 *
 * <p>Belongs to whoever holds the keeper's lock. Time is passed in; a step that comes late is not
 * held against anybody.
 */
final class DeviceRota {
  /** A turn's least length while there is work. */
  static final long TURN_NS = 5_000_000;

  /** For how long a host that was granted a turn may not have taken it up yet. */
  static final long GRACE_NS = 20_000_000;

  /** What a turn costs at least, so that one that is not used is not had again and again. */
  static final long LEAST_NS = 100_000;

  /** The pause between looks while somebody waits. */
  static final long LOOK_NS = 2_000_000;

  /** The most that passes from one step to the next: beyond it this process stood still. */
  static final long STANDSTILL_NS = 50_000_000;

  /** Kill-timeouts after which a host that makes progress is ended all the same. */
  static final int MOST_TIMEOUTS = 8;

  private final Function<String, Quota> quotas;
  private final boolean isProcessors;
  private final List<Place> places = new ArrayList<>();
  private final Map<String, Double> used = new HashMap<>(); // virtual time by guest
  private double clock; // that of the latest turn's guest, when it began
  private @Nullable Place holder;
  private boolean takenBack;
  private boolean charges; // somebody waited at the last step for what the holder has
  private long lastNs;
  private long begunNs;
  private long overdueNs; // since progress was seen
  private long allOverdueNs;
  private long processorNs; // of the holder's process, when progress was seen
  private int progress;

  /**
   * @param quotas of guests, by name
   * @param isProcessors whether work there takes the time of its host's process
   */
  DeviceRota(Function<String, Quota> quotas, boolean isProcessors) {
    this.quotas = quotas;
    this.isProcessors = isProcessors;
  }

  /** A host at this device, which is one of its own devices by number. */
  private record Place(TurnSeat seat, int device) {
    boolean isWaiting() {
      return seat.page().waiting(device) > 0;
    }

    boolean hasWork() {
      return seat.page().claims(device) != 0;
    }

    void grant(boolean granted) {
      seat.page().grant(device, granted);
      if (granted) {
        seat.ring();
      }
    }
  }

  void add(TurnSeat seat, int device) {
    places.add(new Place(seat, device));
  }

  /** A host is gone; its guest's time is forgotten with its last. */
  void remove(TurnSeat seat) {
    places.removeIf(place -> place.seat() == seat);
    Place now = holder;
    if (now != null && now.seat() == seat) {
      holder = null;
      takenBack = false;
      charges = false;
    }
    used.keySet()
        .removeIf(guest -> places.stream().noneMatch(place -> place.seat().guest().equals(guest)));
  }

  /** Whether a host of a guest is at the device. */
  boolean isOf(String guest) {
    return places.stream().anyMatch(place -> place.seat().guest().equals(guest));
  }

  boolean isEmpty() {
    return places.isEmpty();
  }

  /**
   * Does what is due.
   *
   * @return whether somebody waits, so that it is to be done again soon
   */
  boolean step(long nowNs) {
    long passedNs = Math.clamp(nowNs - lastNs, 0, STANDSTILL_NS);
    lastNs = nowNs;
    if (charges) {
      charge(passedNs);
    }
    List<Place> waiting = new ArrayList<>();
    for (Place place : places) {
      if (place.isWaiting()) {
        double _ = used.merge(place.seat().guest(), clock, Math::max);
        waiting.add(place);
      }
    }
    Place now = holder;
    if (now != null) {
      keepOrTakeBack(now, waiting, nowNs, passedNs);
    }
    if (holder == null) {
      grantNext(waiting, nowNs);
    }
    boolean isContended = waiting.stream().anyMatch(place -> place != holder);
    charges = isContended && holder != null;
    return isContended;
  }

  private void charge(long passedNs) {
    Place now = holder;
    if (now != null) {
      String guest = now.seat().guest();
      double _ = used.merge(guest, (double) passedNs / quota(guest).weight(), Double::sum);
    }
  }

  private Quota quota(String guest) {
    return quotas.apply(guest);
  }

  private double used(Place place) {
    return used.getOrDefault(place.seat().guest(), clock);
  }

  private void keepOrTakeBack(Place now, List<Place> waiting, long nowNs, long passedNs) {
    List<Place> others = waiting.stream().filter(place -> place != now).toList();
    if (others.isEmpty()) {
      if (takenBack) {
        takenBack = false;
        now.grant(true);
      }
      return;
    }
    if (takenBack) {
      overdue(now, passedNs);
    } else {
      double least = others.stream().mapToDouble(this::used).min().orElseThrow();
      boolean isOver = now.hasWork() && nowNs - begunNs >= TURN_NS && used(now) >= least;
      boolean comes = now.isWaiting() && nowNs - begunNs < GRACE_NS; // not awake yet
      if (!isOver && (now.hasWork() || comes)) {
        return;
      }
      takenBack = true;
      forgive(now);
      allOverdueNs = 0;
      progress = now.seat().page().progress(now.device());
      now.grant(false);
    }
    if (!now.hasWork()) { // looked at after the grant was taken back: what begins now sees that
      holder = null;
      takenBack = false;
    }
  }

  private void overdue(Place now, long passedNs) {
    int seen = now.seat().page().progress(now.device());
    overdueNs += passedNs;
    allOverdueNs += passedNs;
    if (seen != progress) {
      progress = seen;
      forgive(now);
    }
    long mostNs = quota(now.seat().guest()).killTimeout().toNanos();
    if (workedNs(now) > mostNs || allOverdueNs / MOST_TIMEOUTS > mostNs) {
      forgive(now);
      allOverdueNs = 0;
      now.seat().end("it kept another guest from a device for longer than its kill-timeout");
    }
  }

  private void forgive(Place now) {
    overdueNs = 0;
    processorNs = isProcessors ? now.seat().processorNs() : 0;
  }

  /** What had no processor could not get on. */
  private long workedNs(Place now) {
    return isProcessors ? Math.min(overdueNs, now.seat().processorNs() - processorNs) : overdueNs;
  }

  private void grantNext(List<Place> waiting, long nowNs) {
    Place next = null;
    for (Place place : waiting) {
      if (next == null || used(place) < used(next)) {
        next = place;
      }
    }
    if (next != null) {
      holder = next;
      takenBack = false;
      begunNs = nowNs;
      clock = Math.max(clock, used(next));
      charge(LEAST_NS);
      next.grant(true);
    }
  }
}
