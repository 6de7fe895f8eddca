package io.sluice.channel.policy;

import io.sluice.channel.MovableMemory.Moved;
import io.sluice.channel.guest.Guest;
import io.sluice.quota.QuotaTable;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The memory of all guests' CUDA programs, by guest, and its keeping to the guests' shares. What
 * there is is guarded by the lock of the quotas. What is to move is decided under that lock and
 * moved without it: memory takes its time, and others want the lock meanwhile. One thread moves at
 * a time.
 */
@SuppressWarnings("GuardedBy") // by the lock of the quotas, which cannot be checked
final class ProgramTable {
  /** Bytes after which somebody else is looked at; a piece may be longer. */
  static final long ROUND_BYTES = 1L << 30;

  /** More than the pieces of all programs need: those come and go meanwhile. */
  private static final int MOST_ROUNDS = 1024;

  /** How often one that takes has others move: another taker may have what that gave. */
  private static final int MOST_ATTEMPTS = 16;

  private final MemoryQuotas quotas;
  private final QuotaTable table;

  /** For a round at a time. */
  private final ReentrantLock moving = new ReentrantLock(true);

  private final Map<String, ProgramMemory> programs = new TreeMap<>();

  ProgramTable(MemoryQuotas quotas, QuotaTable table) {
    this.quotas = quotas;
    this.table = table;
  }

  ProgramMemory of(String guest) {
    return programs.computeIfAbsent(guest, name -> new ProgramMemory(quotas, this, name));
  }

  boolean has(ProgramMemory memory) {
    return programs.get(memory.guest()) == memory;
  }

  void remove(String guest) {
    programs.remove(guest);
  }

  boolean usesGpu(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory != null && memory.usesGpu();
  }

  /** Adds the guests that use the GPU by programs. */
  void addUsing(Set<String> names) {
    programs.keySet().stream().filter(this::usesGpu).forEach(names::add);
  }

  /** What a guest's own buffers must leave. */
  long heldBytes(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory == null ? 0 : memory.heldBytes();
  }

  /** That of all guests. */
  long heldBytes() {
    return programs.values().stream().mapToLong(ProgramMemory::heldBytes).sum();
  }

  /** What a guest's programs have in system memory in place of video memory. */
  long evictedBytes(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory == null ? 0 : memory.evictedBytes();
  }

  /** What programs have beyond their guests' shares. */
  Map<ProgramMemory, Long> beyond(Map<String, Long> shares) {
    Map<ProgramMemory, Long> beyond = new LinkedHashMap<>();
    for (ProgramMemory each : programs.values()) {
      long over = each.presentBytes() - shares.getOrDefault(each.guest(), 0L);
      if (over > 0 && each.canMove()) {
        beyond.put(each, over);
      }
    }
    return beyond;
  }

  /**
   * Whether every guest can still come to its minimum when one takes more. What others only want is
   * not counted: whoever comes first has it.
   */
  boolean keepsMinimums(ProgramMemory taking, long wanted) {
    String guest = taking.guest();
    return wanted <= table.cardBytes()
        && table.firmBytes(name -> presentBytes(name) + (name.equals(guest) ? wanted : 0))
            <= table.cardBytes();
  }

  private long presentBytes(String guest) {
    ProgramMemory memory = programs.get(guest);
    return memory == null ? 0 : memory.presentBytes();
  }

  /**
   * The room for what programs have in system memory. All of it may be used: every guest can still
   * come to its minimum then, present or not.
   *
   * @param left of guests' shares, without what their own buffers have or are to have
   */
  Map<ProgramMemory, Long> room(Map<String, Long> left) {
    Map<ProgramMemory, Long> room = new LinkedHashMap<>();
    long spare = table.cardBytes() - table.firmBytes(this::presentBytes);
    for (ProgramMemory each : programs.values()) {
      long ofMinimum = Math.max(0, table.get(each.guest()).minimumBytes() - each.presentBytes());
      long ofShare = left.getOrDefault(each.guest(), 0L) - each.heldBytes();
      long more = Math.min(Math.min(ofShare, each.evictedBytes()), ofMinimum + Math.max(0, spare));
      if (more > 0) {
        room.put(each, more);
        spare -= Math.max(0, more - ofMinimum);
      }
    }
    return room;
  }

  /** What of a guest's share its own buffers may have. */
  long beside(String guest, Map<String, Long> shares) {
    return Math.max(0, shares.getOrDefault(guest, 0L) - heldBytes(guest));
  }

  /** The same of all guests. */
  SortedMap<String, Long> beside(Map<String, Long> shares) {
    SortedMap<String, Long> own = new TreeMap<>();
    shares.keySet().forEach(guest -> own.put(guest, beside(guest, shares)));
    return own;
  }

  // ---- without the lock ----

  /**
   * Moves to system memory what programs have beyond their guests' shares.
   *
   * @return how many allocations were moved
   */
  int evict() {
    return evict(quotas::programsBeyond, Long.MAX_VALUE);
  }

  /** Moves as much as a guest wants more for its own buffers; without a size, all. */
  int evictFor(Guest guest, long bytes) {
    return evict(() -> quotas.programsBeyond(guest, bytes), bytes > 0 ? bytes : Long.MAX_VALUE);
  }

  /** The rest is moved later, by whoever moves. */
  private int evict(Supplier<Map<ProgramMemory, Long>> beyond, long enough) {
    Moved all = Moved.NONE;
    boolean more = quotas.locked(() -> !beyond.get().isEmpty());
    Set<ProgramMemory> stuck = new HashSet<>();
    for (int round = 0; more && all.bytes() < enough && round < MOST_ROUNDS; round++) {
      Moved moved = evictRound(beyond, stuck);
      all = all.plus(moved);
      more = moved.pieces() > 0;
    }
    if (more) {
      quotas.noteChange();
    }
    return all.pieces();
  }

  /**
   * @param stuck those of which nothing moved: they are not waited for again
   */
  private Moved evictRound(Supplier<Map<ProgramMemory, Long>> beyond, Set<ProgramMemory> stuck) {
    moving.lock();
    try {
      Moved all = Moved.NONE;
      for (var each : quotas.locked(beyond).entrySet()) {
        if (!stuck.contains(each.getKey())) {
          Moved moved = each.getKey().evict(each.getValue(), ROUND_BYTES);
          told(each.getKey(), moved, true);
          all = all.plus(moved);
          if (moved.pieces() == 0) {
            stuck.add(each.getKey());
          }
        }
      }
      return all;
    } finally {
      moving.unlock();
    }
  }

  /**
   * The same, where a guest's programs want more, which they take then. Again while something was
   * moved and it does not suffice: several may want what one gives up.
   *
   * @return whether it was taken, whoever made the room for it
   */
  boolean takeFromOthers(ProgramMemory taking, long wanted) {
    if (!quotas.locked(() -> taking.reserveIfItMay(wanted))) {
      return false; // what cannot become true is no reason to disturb others
    }
    boolean taken = false;
    try {
      boolean more = true;
      for (int attempt = 0; more && !taken && attempt < MOST_ATTEMPTS; attempt++) {
        more = evict(quotas::programsBeyond, wanted) > 0;
        taken = taking.takeReserved(wanted);
      }
      return taken;
    } finally {
      taking.giveReservationBack(taken ? 0 : wanted);
    }
  }

  /**
   * Moves back what has room in its guest's share, a round of it; another one is asked for if there
   * may be more.
   *
   * @return how many allocations were moved
   */
  int restore() {
    if (quotas.locked(() -> quotas.roomOfPrograms().isEmpty())) {
      return 0;
    }
    moving.lock();
    try {
      Moved all = restoreInto(quotas.locked(this::reserveRoom));
      if (all.bytes() >= ROUND_BYTES) {
        quotas.noteChange();
      }
      return all.pieces();
    } finally {
      moving.unlock();
    }
  }

  private Map<ProgramMemory, Long> reserveRoom() {
    Map<ProgramMemory, Long> rooms = quotas.roomOfPrograms();
    rooms.forEach(ProgramMemory::returning);
    return rooms;
  }

  /** Room is kept no longer than it is needed. */
  private Moved restoreInto(Map<ProgramMemory, Long> rooms) {
    Moved all = Moved.NONE;
    try {
      for (var each : rooms.entrySet()) {
        long enough = ROUND_BYTES - all.bytes();
        if (enough > 0) {
          Moved moved = each.getKey().restore(each.getValue(), enough);
          told(each.getKey(), moved, false);
          all = all.plus(moved);
        }
        returned(each.getKey());
      }
    } finally {
      rooms.keySet().forEach(this::returned);
    }
    return all;
  }

  private void returned(ProgramMemory memory) {
    boolean _ =
        quotas.locked(() -> {
          memory.returning(0);
          return true;
        });
  }

  private void told(ProgramMemory memory, Moved moved, boolean toSystem) {
    quotas.locked(() -> {
      quotas.counts().moved(memory.guest(), moved.pieces(), toSystem);
      return moved;
    });
  }
}
