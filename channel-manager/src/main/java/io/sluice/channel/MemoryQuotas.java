package io.sluice.channel;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import io.sluice.quota.Admission;
import io.sluice.quota.Buffer;
import io.sluice.quota.GuestQuota;
import io.sluice.quota.MovePlan;
import io.sluice.quota.Shares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the guests of one GPU to their shares of its video memory: policy from {@code
 * io.sluice.quota}, deeds on {@link Guest}.
 *
 * <p>{@link #rebalance} is called whenever shares may have changed, and now and then by a duty
 * cycle, since guests begin and end their use of the GPU by themselves. Its lock is taken before a
 * guest's and never under one.
 */
public final class MemoryQuotas {
  /**
   * What an operator sets.
   *
   * @param minimumBytes video memory it always gets
   * @param weight 1 to {@link GuestQuota#MAX_WEIGHT}
   * @param limitBytes most it ever gets; {@link GuestQuota#NO_LIMIT}
   */
  public record Settings(long minimumBytes, int weight, long limitBytes) {
    /** No minimum, no limit, weight 1. */
    public static final Settings DEFAULT = new Settings(0, 1, GuestQuota.NO_LIMIT);
  }

  /**
   * What a rebalance did.
   *
   * @param evicted buffers moved to system memory
   * @param returned buffers moved to video memory
   */
  public record Moves(int evicted, int returned) {}

  private final long cardBytes;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<String, Settings> settings = new TreeMap<>();
  private final Map<String, Guest> attached = new LinkedHashMap<>();

  /**
   * @param cardBytes video memory of the GPU
   */
  public MemoryQuotas(long cardBytes) {
    this.cardBytes = cardBytes;
  }

  /**
   * Admits a guest, or changes its quota; {@link #rebalance} makes it take effect.
   *
   * @throws RefusedException with the numbers when it does not fit; nothing has changed then
   */
  public void set(String guest, Settings wanted) {
    lock.lock();
    try {
      List<GuestQuota> others = new ArrayList<>();
      settings.forEach((name, each) -> {
        if (!name.equals(guest)) {
          others.add(quota(name, each, false));
        }
      });
      if (Admission.check(cardBytes, others, quota(guest, wanted, false))
          instanceof Admission.Refused refused) {
        throw new RefusedException(
            refused.code(), Errno.ENOSPC, "guest=" + guest + ": " + refused.cause(), refused.fix());
      }
      settings.put(guest, wanted);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a guest's quota; it must be detached. */
  public void remove(String guest) {
    lock.lock();
    try {
      if (attached.containsKey(guest)) {
        throw Refusal.busy("the guest is attached, guest=" + guest, "Detach it first.");
      }
      settings.remove(guest);
    } finally {
      lock.unlock();
    }
  }

  /** From now on the guest is kept to its share. It was admitted by {@link #set}. */
  public void attach(Guest guest) {
    lock.lock();
    try {
      if (!settings.containsKey(guest.name())) {
        throw Refusal.invalid("no quota was set, guest=" + guest.name());
      }
      if (attached.putIfAbsent(guest.name(), guest) != null) {
        throw Refusal.busy("a guest of this name is attached, guest=" + guest.name(), "");
      }
    } finally {
      lock.unlock();
    }
  }

  /** To be called before the guest is closed. */
  public void detach(Guest guest) {
    lock.lock();
    try {
      attached.remove(guest.name(), guest);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sets every guest's limit to its share, evicts what is over and brings back what has room. A
   * guest that does not use the GPU yet has the limit it would have if it did.
   */
  public Moves rebalance() {
    lock.lock();
    try {
      attached.values().removeIf(Guest::isClosed);
      SortedMap<String, Long> shares = Shares.of(cardBytes, quotas(null));
      for (Guest guest : attached.values()) {
        long limit = shares.getOrDefault(guest.name(), 0L);
        if (!guest.usesGpu()) {
          limit = Shares.of(cardBytes, quotas(guest)).getOrDefault(guest.name(), 0L);
        }
        guest.setVramLimit(limit);
      }
      List<Buffer> buffers = new ArrayList<>();
      for (Guest guest : attached.values()) {
        if (guest.capabilities().contains(Capability.EVICTION)) {
          buffers.addAll(guest.videoBuffers());
        }
      }
      MovePlan plan = MovePlan.of(cardBytes, shares, buffers);
      return new Moves(move(plan.evictions(), true), move(plan.returns(), false));
    } finally {
      lock.unlock();
    }
  }

  private int move(List<MovePlan.Move> moves, boolean toSystem) {
    Map<String, List<Long>> byGuest = new LinkedHashMap<>();
    for (MovePlan.Move move : moves) {
      byGuest
          .computeIfAbsent(move.buffer().guest(), _ -> new ArrayList<>())
          .add(move.buffer().id());
    }
    int moved = 0;
    for (Guest guest : attached.values()) {
      List<Long> ids = byGuest.getOrDefault(guest.name(), List.of());
      if (!ids.isEmpty()) {
        moved += guest.moveBuffers(ids, toSystem);
      }
    }
    return moved;
  }

  /**
   * @param newcomer counted as using the GPU though it does not yet
   */
  private List<GuestQuota> quotas(@Nullable Guest newcomer) {
    List<GuestQuota> all = new ArrayList<>();
    settings.forEach((name, each) -> {
      Guest guest = attached.get(name);
      all.add(quota(name, each, guest != null && (guest == newcomer || guest.usesGpu())));
    });
    return all;
  }

  private static GuestQuota quota(String name, Settings each, boolean usesGpu) {
    return new GuestQuota(name, each.minimumBytes(), each.weight(), each.limitBytes(), usesGpu, 0);
  }
}
