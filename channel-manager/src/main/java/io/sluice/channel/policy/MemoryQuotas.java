package io.sluice.channel.policy;

import com.google.common.collect.Sets;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import io.sluice.channel.Capability;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.MovableMemory;
import io.sluice.channel.Refusal;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemorySharing;
import io.sluice.channel.guest.MemoryUse;
import io.sluice.channel.policy.BufferMoves.BufferStanding;
import io.sluice.quota.Admission;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.quota.QuotaTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keeper of the guests of one GPU to their shares of its video memory: policy from {@code
 * io.sluice.quota}, deeds on {@link Guest}.
 *
 * <p>Guests begin and end their use of the GPU by themselves. Each tells when its use of memory has
 * changed, and whoever composes this calls {@link #rebalance} soon after. An allocation that finds
 * no room does not wait for that: it rebalances by itself and tries again.
 *
 * <p>Under the lock no guest is asked anything that its own work may delay, and no memory moves:
 * see {@link BufferMoves}. A guest may be closed at any moment: it is passed over then, and its
 * memory counts as free.
 */
public final class MemoryQuotas {
  /**
   * A guest at the beginning of a rebalance.
   *
   * @param usesGpu whether it counts as using the GPU, as one does that begins to
   */
  private record Holder(Guest guest, MemoryUse use, boolean usesGpu) {
    boolean isAtRest(Map<String, Long> shares) {
      return use.evictedBytes() == 0 && use.videoBytes() <= shares.getOrDefault(guest.name(), 0L);
    }
  }

  private final Runnable onChange;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final QuotaTable quotas;

  @GuardedBy("lock")
  private final MoveCounts counters;

  @GuardedBy("lock")
  private final Map<String, Guest> attached = new LinkedHashMap<>();

  /** Under the lock, but for what it says. */
  private final ProgramTable programs;

  @GuardedBy("lock")
  private final CountedShares counted;

  /** One that room is being made for: it counts as using the GPU. */
  @GuardedBy("lock")
  private @Nullable Guest arriving;

  private final BufferMoves moves;

  /**
   * @param cardBytes video memory of the GPU
   * @param clock monotonic nanoseconds
   * @param onChange runs when a rebalance may be due: from any thread, also under the lock, so that
   *     it must not block nor call this object
   */
  public MemoryQuotas(
      long cardBytes, LongSupplier clock, Runnable onChange, QuotaListener listener) {
    quotas = new QuotaTable(cardBytes);
    this.onChange = onChange;
    programs = new ProgramTable(this, quotas);
    counted = new CountedShares(quotas, clock);
    counters = new MoveCounts(listener);
    moves = new BufferMoves(new MoveBooks());
  }

  /** The quotas as whoever moves buffers knows them. */
  private final class MoveBooks implements BufferMoves.Books {
    @Override
    public BufferStanding standing() {
      return MemoryQuotas.this.standing();
    }

    @Override
    public void moved(String guest, int buffers, boolean toSystem) {
      MemoryQuotas.this.moved(guest, buffers, toSystem);
    }

    @Override
    public void moreIsDue() {
      noteChange();
    }
  }

  /**
   * Admits a guest, or changes its quota; {@link #rebalance} makes it take effect. Who calls this
   * sees to that: nobody is told that one is due. Refused, nothing has changed.
   */
  public Admission set(String guest, Quota wanted) {
    lock.lock();
    try {
      Admission answer = quotas.put(guest, wanted);
      if (answer instanceof Admission.Admitted) {
        counters.admit(guest);
        SortedMap<String, Long> _ = limit(holders());
      }
      return answer;
    } finally {
      lock.unlock();
    }
  }

  /** A guest's quota; the default where none was set. */
  public Quota quota(String guest) {
    lock.lock();
    try {
      return quotas.get(guest);
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
      quotas.remove(guest);
      counters.remove(guest);
      counted.remove(guest);
      programs.remove(guest);
    } finally {
      lock.unlock();
    }
  }

  /** From now on the guest is kept to its share. It was admitted by {@link #set}. */
  public void attach(Guest guest) {
    lock.lock();
    try {
      requireAdmitted(guest.name());
      if (attached.putIfAbsent(guest.name(), guest) != null) {
        throw Refusal.busy("a guest of this name is attached, guest=" + guest.name(), "");
      }
      guest.buffers().setSharing(new QuotaPlace(this, moves, programs, guest));
      // Its driver asks what it may have before it allocates anything; it does not use the GPU yet.
      SortedMap<String, Long> _ = limit(holders());
    } finally {
      lock.unlock();
    }
    onChange.run();
  }

  /** To be called before the guest is closed. */
  public void detach(Guest guest) {
    lock.lock();
    try {
      attached.remove(guest.name(), guest);
      guest.buffers().setSharing(MemorySharing.ALONE);
    } finally {
      lock.unlock();
    }
    onChange.run();
  }

  /**
   * A guest's use of memory now, its programs' included; nothing when neither is there. The limit
   * is that of both together.
   */
  public MemoryUse use(String guest) {
    lock.lock();
    try {
      MemoryUse own = ownUse(guest);
      if (!programs.usesGpu(guest)) {
        return own;
      }
      return new MemoryUse(
          true,
          own.videoBytes() + programs.heldBytes(guest),
          share(guest),
          own.systemBytes(),
          own.evictedBytes() + programs.evictedBytes(guest));
    } finally {
      lock.unlock();
    }
  }

  /** A guest's use of memory without its programs'. */
  @GuardedBy("lock")
  MemoryUse ownUse(String guest) {
    Guest there = attached.get(guest);
    try {
      return there == null ? MemoryUse.NONE : there.buffers().use();
    } catch (RefusedException gone) {
      return MemoryUse.NONE;
    }
  }

  /**
   * The part of a guest's share that its CUDA programs take, beside its own buffers. It was
   * admitted by {@link #set}. Nobody evicts it, unless {@link #setMover} says who can.
   */
  public MemoryBudget programs(String guest) {
    lock.lock();
    try {
      requireAdmitted(guest);
      return programs.of(guest);
    } finally {
      lock.unlock();
    }
  }

  /** From now on the memory of a guest's programs is moved when it is beyond the guest's share. */
  public void setMover(String guest, MovableMemory mover) {
    lock.lock();
    try {
      requireAdmitted(guest);
      programs.of(guest).setMover(mover);
    } finally {
      lock.unlock();
    }
  }

  /** Video memory that a guest's programs have; 0 where nobody knows it. */
  public long programBytes(String guest) {
    lock.lock();
    try {
      return programs.heldBytes(guest);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void requireAdmitted(String guest) {
    if (!quotas.contains(guest)) {
      throw Refusal.invalid("no quota was set, guest=" + guest);
    }
  }

  void noteChange() {
    onChange.run();
  }

  /** A guest's share, as it was last counted out. */
  @GuardedBy("lock")
  long share(String guest) {
    return counted.now().getOrDefault(guest, 0L);
  }

  /** What it keeps when those come back that ceased to use the GPU lately; counted out anew. */
  @GuardedBy("lock")
  long lastingShare(String guest) {
    long _ = countOut(guest);
    return counted.lasting().getOrDefault(guest, 0L);
  }

  @GuardedBy("lock")
  boolean overflows(String guest) {
    return quotas.contains(guest) && quotas.get(guest).beyondShare() == BeyondShare.SYSTEM_MEMORY;
  }

  /** What a guest's share were if it used the GPU. */
  @GuardedBy("lock")
  long shareIfUsing(String guest) {
    return quotas.shares(Sets.union(usingBy(holders()), Set.of(guest))).getOrDefault(guest, 0L);
  }

  /** Counts shares out anew: that of a guest. */
  @GuardedBy("lock")
  long countOut(String guest) {
    return limit(holders()).getOrDefault(guest, 0L);
  }

  /**
   * Sets the limit of a guest's own buffers, if it is attached.
   *
   * @return whether it keeps to it, as it will from now on
   */
  @GuardedBy("lock")
  boolean limitOwn(String guest, long bytes) {
    Guest own = attached.get(guest);
    boolean[] keeps = {true};
    if (own != null) {
      BufferMoves.ifThere(own, () -> keeps[0] = own.buffers().keepTo(bytes));
    }
    return keeps[0];
  }

  @GuardedBy("lock")
  boolean isAttached(Guest guest) {
    return attached.get(guest.name()) == guest;
  }

  /**
   * From now on a guest counts as using the GPU, since room is being made for it; null for none.
   */
  @GuardedBy("lock")
  void setArriving(@Nullable Guest guest) {
    arriving = guest;
  }

  /** What was done to a guest so far. */
  public QuotaCounters counters(String guest) {
    lock.lock();
    try {
      return counters.of(guest);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sets every guest's limit to its share, evicts what is over and brings back what has room. A
   * guest that does not use the GPU yet has the limit it would have if it did. Nothing returns into
   * the room of one that used it lately.
   */
  public Moves rebalance() {
    return rebalance(() -> {});
  }

  /**
   * As {@link #rebalance()}.
   *
   * @param held runs as soon as every guest is kept to its share: before the channels of the one
   *     that moved last go on; it may run again. Not at all if somebody else wants room meanwhile,
   *     who is let in between: another rebalance is due then. It must not block nor call this
   *     object
   */
  public Moves rebalance(Runnable held) {
    return moves.rebalance(held);
  }

  /**
   * Has CUDA programs leave what is beyond their guests' shares, and return to what has room, a
   * round of it. Takes its time, and keeps nobody else from this object meanwhile.
   */
  public Moves movePrograms() {
    return new Moves(programs.evict(), programs.restore());
  }

  /** Does something under the lock. */
  <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  boolean refused(String guest, long bytes) {
    counters.refused(guest, bytes, use(guest));
    return true;
  }

  /**
   * Whether a guest's share has room for more own buffers once it uses the GPU. Nothing changes,
   * nor is the guest taken note of: what cannot become true is no reason to disturb others.
   */
  @GuardedBy("lock")
  boolean mayHave(Guest guest, long bytes) {
    String name = guest.name();
    long own = Math.max(0, shareIfUsing(name) - programs.heldBytes(name));
    return isAttached(guest) && bytes <= own - ownUse(name).videoBytes();
  }

  /** Has guests' own buffers leave what is beyond the shares, and waits for that, but not long. */
  void moveBuffers() {
    moves.rebalanceSoon();
  }

  /** What programs have beyond their shares. */
  @GuardedBy("lock")
  Map<ProgramMemory, Long> programsBeyond() {
    return programs.beyond(limit(holders()));
  }

  /** The same while a guest wants more; nothing when it cannot have that. */
  @GuardedBy("lock")
  Map<ProgramMemory, Long> programsBeyond(Guest taking, long wanted) {
    return mayHave(taking, wanted) ? programs.beyond(limit(holders(taking))) : Map.of();
  }

  /** The room for what of programs is to return. */
  @GuardedBy("lock")
  Map<ProgramMemory, Long> roomOfPrograms() {
    List<Holder> holders = holders();
    SortedMap<String, Long> _ = limit(holders);
    Map<String, Long> left = new TreeMap<>(counted.lasting());
    for (Holder holder : holders) {
      MemoryUse own = holder.use();
      left.merge(holder.guest().name(), -own.videoBytes() - own.evictedBytes(), Long::sum);
    }
    return programs.room(left);
  }

  /** Buffers of a guest have moved. */
  private void moved(String guest, int buffers, boolean toSystem) {
    lock.lock();
    try {
      counters.moved(guest, buffers, toSystem);
    } finally {
      lock.unlock();
    }
  }

  /** Sets limits to shares anew. */
  @GuardedBy("lock")
  boolean limitAll() {
    SortedMap<String, Long> _ = limit(holders());
    return true;
  }

  @GuardedBy("lock")
  MoveCounts counts() {
    return counters;
  }

  /** Has everybody leave what is beyond the shares: whether somebody had that, whoever moved it. */
  boolean makeRoom() {
    boolean beyond = isSomebodyBeyond();
    int moved = programs.evict() + rebalance().evicted();
    return beyond || moved > 0;
  }

  private boolean isSomebodyBeyond() {
    lock.lock();
    try {
      List<Holder> holders = holders();
      SortedMap<String, Long> own = programs.beside(limit(holders));
      return !programs.beyond(counted.now()).isEmpty()
          || holders.stream()
              .anyMatch(
                  each -> each.use().videoBytes() > own.getOrDefault(each.guest().name(), 0L));
    } finally {
      lock.unlock();
    }
  }

  /** Sets limits to shares, and says where everybody stands. */
  private BufferStanding standing() {
    lock.lock();
    try {
      List<Holder> holders = holders();
      SortedMap<String, Long> shares = programs.beside(limit(holders));
      return new BufferStanding(
          holders.stream().map(Holder::guest).toList(),
          shares,
          programs.beside(counted.lasting()),
          quotas.cardBytes() - programs.heldBytes(),
          holders.stream().allMatch(each -> each.isAtRest(shares)));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private List<Holder> holders() {
    return holders(null);
  }

  /**
   * What every guest that is there says of itself; those that are closed are forgotten.
   *
   * @param taking counted as using the GPU though it may not yet; null for none
   */
  @GuardedBy("lock")
  private List<Holder> holders(@Nullable Guest taking) {
    attached.values().removeIf(Guest::isClosed);
    List<Holder> holders = new ArrayList<>();
    for (Guest guest : attached.values()) {
      boolean comes = guest == arriving || guest == taking;
      BufferMoves.ifThere(
          guest,
          () -> {
            MemoryUse use = guest.buffers().use();
            holders.add(new Holder(guest, use, use.usesGpu() || comes));
          });
    }
    return holders;
  }

  /** The names of those that use the GPU. */
  @GuardedBy("lock")
  private Set<String> usingBy(List<Holder> holders) {
    Set<String> using = new TreeSet<>();
    holders.stream().filter(Holder::usesGpu).forEach(holder -> using.add(holder.guest().name()));
    programs.addUsing(using);
    return using;
  }

  /** Sets limits to shares; returns the shares of those that use the GPU. */
  @GuardedBy("lock")
  private SortedMap<String, Long> limit(List<Holder> holders) {
    Set<String> using = usingBy(holders);
    counted.count(using);
    SortedMap<String, Long> shares = counted.now();
    for (Holder holder : holders) {
      String name = holder.guest().name();
      SortedMap<String, Long> with =
          holder.usesGpu() ? shares : quotas.shares(Sets.union(using, Set.of(name)));
      long own = programs.beside(name, with);
      boolean overflow =
          overflows(name) && holder.guest().capabilities().contains(Capability.EVICTION);
      BufferMoves.ifThere(
          holder.guest(),
          () -> {
            holder.guest().buffers().setLimit(own);
            holder.guest().buffers().setOverflowToSystem(overflow);
          });
    }
    return shares;
  }
}
