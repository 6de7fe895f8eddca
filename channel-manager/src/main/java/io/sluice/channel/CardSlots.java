package io.sluice.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;

/**
 * The division of a GPU's channels and address spaces among its guests.
 *
 * <p>No guest has more than its limit. One that has some takes another only while as many stay free
 * as there are admitted guests without any, and at least one, for a guest admitted later: so each
 * finds one when it comes to use the GPU, unless there are more guests than slots. A guest without
 * any takes whatever is free.
 *
 * <p>Methods may be called from any thread. The lock is taken under guests' locks, and nothing is
 * called under it.
 */
public final class CardSlots {
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<String, SlotLimits> limits = new LinkedHashMap<>();

  private final Slots channels;
  private final Slots addressSpaces;

  /**
   * @param card what the GPU has
   */
  public CardSlots(SlotLimits card) {
    channels = new Slots("channels", card, SlotLimits::channels);
    addressSpaces = new Slots("address spaces", card, SlotLimits::addressSpaces);
  }

  /** From now on something is kept for this guest. Of one that was admitted the limits change. */
  public void admit(String guest, SlotLimits guestLimits) {
    lock.lock();
    try {
      limits.put(guest, guestLimits);
    } finally {
      lock.unlock();
    }
  }

  /** Nothing is kept for this guest any more. What it still has counts until it is given back. */
  public void forget(String guest) {
    lock.lock();
    try {
      limits.remove(guest);
    } finally {
      lock.unlock();
    }
  }

  /** Channels that are free; may be out of date at once. */
  public int freeChannels() {
    return channels.free();
  }

  /** EDQUOT beyond the limit or into what is kept for others, ENOMEM when none is left. */
  public void takeChannel(String guest) {
    channels.take(guest);
  }

  public void giveChannel(String guest) {
    channels.give(guest);
  }

  /** EDQUOT beyond the limit or into what is kept for others, ENOMEM when none is left. */
  public void takeAddressSpace(String guest) {
    addressSpaces.take(guest);
  }

  public void giveAddressSpace(String guest) {
    addressSpaces.give(guest);
  }

  /** One kind of slot. */
  private final class Slots {
    private final String what;
    private final ToIntFunction<SlotLimits> kind;
    private final int total;

    @GuardedBy("CardSlots.this.lock")
    private final Map<String, Integer> held = new LinkedHashMap<>();

    @GuardedBy("CardSlots.this.lock")
    private int taken;

    Slots(String what, SlotLimits card, ToIntFunction<SlotLimits> kind) {
      this.what = what;
      this.kind = kind;
      total = kind.applyAsInt(card);
    }

    int free() {
      lock.lock();
      try {
        return total - taken;
      } finally {
        lock.unlock();
      }
    }

    void take(String guest) {
      lock.lock();
      try {
        int limit = kind.applyAsInt(limits.getOrDefault(guest, SlotLimits.NONE));
        int has = held.getOrDefault(guest, 0);
        int free = total - taken;
        if (has >= limit) {
          throw Refusal.overLimit(what, guest, limit);
        }
        if (free == 0) {
          throw Refusal.outOfMemory(
              "the GPU has no more " + what + ", guest=" + guest + " total=" + total,
              "Free some, in this guest or another.");
        }
        if (has > 0 && free <= kept()) {
          throw Refusal.kept(what, guest, free);
        }
        held.put(guest, has + 1);
        taken++;
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("CardSlots.this.lock")
    private int kept() {
      int without = 0;
      for (String guest : limits.keySet()) {
        without += held.containsKey(guest) ? 0 : 1;
      }
      return Math.max(1, without);
    }

    void give(String guest) {
      lock.lock();
      try {
        int has = held.getOrDefault(guest, 0);
        if (has == 0) {
          throw new AssertionError("more given back than taken, guest=" + guest + " of " + what);
        }
        if (has == 1) {
          held.remove(guest);
        } else {
          held.put(guest, has - 1);
        }
        taken--;
      } finally {
        lock.unlock();
      }
    }
  }
}
