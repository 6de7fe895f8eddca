package io.sluice.channel.policy;

import io.sluice.channel.MemoryBudget;
import io.sluice.channel.MovableMemory;
import io.sluice.channel.MovableMemory.Moved;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The video memory of a guest's CUDA programs, which is of the guest's share, as its own buffers
 * are. It grows under the lock of the quotas alone, and shrinks at any time.
 */
@SuppressWarnings("GuardedBy") // by the lock of the quotas, which cannot be checked
final class ProgramMemory implements MemoryBudget {
  private final MemoryQuotas quotas;
  private final ProgramTable all;
  private final String guest;
  private final AtomicLong bytes = new AtomicLong();

  /** For what is about to be taken. */
  private long reserved;

  /** For what is about to return from system memory. */
  private long returning;

  /** Moves it, where somebody can. */
  private Optional<MovableMemory> mover = Optional.empty();

  /** How many want something: the guest counts as using the GPU before it has taken anything. */
  private int wanting;

  ProgramMemory(MemoryQuotas quotas, ProgramTable all, String guest) {
    this.quotas = quotas;
    this.all = all;
    this.guest = guest;
  }

  String guest() {
    return guest;
  }

  /**
   * Whether the guest uses the GPU by it. So it does when all is in system memory: it would have no
   * share to return into otherwise. Under the lock.
   */
  boolean usesGpu() {
    return wanting > 0 || bytes.get() > 0 || evictedBytes() > 0;
  }

  /** From now on its memory can be moved by this. Under the lock. */
  void setMover(MovableMemory by) {
    mover = Optional.of(by);
  }

  /** What is in system memory in place of video memory. */
  long evictedBytes() {
    return mover.map(MovableMemory::evictedBytes).orElse(0L);
  }

  boolean canMove() {
    return mover.isPresent();
  }

  /** As {@link MovableMemory#evict}. Without the lock. */
  Moved evict(long wanted, long enough) {
    return mover.map(each -> each.evict(wanted, enough)).orElse(Moved.NONE);
  }

  /** As {@link MovableMemory#restore}. Without the lock. */
  Moved restore(long room, long enough) {
    return mover.map(each -> each.restore(room, enough)).orElse(Moved.NONE);
  }

  /** Sets bytes aside for what is about to return, until this is 0. Under the lock. */
  void returning(long room) {
    returning = room;
  }

  /** Sets bytes aside for what is about to be taken. Under the lock. */
  void reserve(long more) {
    reserved += more;
    wanting++;
  }

  /** Undoes {@link #reserve}. Under the lock. */
  void release(long former) {
    reserved -= former;
    wanting--;
  }

  /** What the guest's own buffers must leave. Under the lock. */
  long heldBytes() {
    return presentBytes() + reserved;
  }

  /** What is there, or about to return. Under the lock. */
  long presentBytes() {
    return bytes.get() + returning;
  }

  /**
   * Reserves more if the guest's share has room for it, and for what else is about to be taken.
   * Under the lock.
   */
  boolean reserveIfItMay(long wanted) {
    boolean may = mayTake(wanted, reserved);
    if (may) {
      reserve(wanted);
    }
    return may;
  }

  /**
   * Takes what is reserved, other guests' buffers beyond their shares out of the way if need be; it
   * stays reserved if that is not to be had. Without the lock.
   */
  boolean takeReserved(long wanted) {
    if (quotas.locked(() -> growInto(wanted))) {
      return true;
    }
    quotas.moveBuffers();
    return quotas.locked(() -> {
      long _ = quotas.countOut(guest);
      return growInto(wanted);
    });
  }

  private boolean growInto(long wanted) {
    reserved -= wanted;
    boolean taken = false;
    try {
      taken = isThereFor(wanted) && grow(wanted);
      return taken;
    } finally {
      reserved += taken ? 0 : wanted;
    }
  }

  /**
   * Takes more, if the guest's share has room beside its own buffers, or these can be evicted, and
   * the card has, or what other guests' programs have beyond their shares can be. Waits for that,
   * and for moves that another thread has begun, but for this not long.
   */
  @Override
  public boolean take(long wanted) {
    if (wanted < 0) {
      return false;
    }
    boolean taken =
        quotas.locked(() -> isThereFor(wanted) && usesGpu() && grow(wanted))
            || takeBesideBuffers(wanted)
            || all.takeFromOthers(this, wanted);
    if (!taken) {
      boolean _ = quotas.locked(() -> quotas.refused(guest, wanted));
    }
    return taken;
  }

  /** Whether the guest takes part, and others still come to their minimums. */
  private boolean isThereFor(long wanted) {
    return all.has(this) && all.keepsMinimums(this, wanted);
  }

  /** What cannot become true is no reason to disturb others. */
  private boolean takeBesideBuffers(long wanted) {
    boolean may =
        quotas.locked(() -> {
          boolean room = isThereFor(wanted) && mayTake(wanted, 0);
          if (room) {
            reserve(wanted);
          }
          return room;
        });
    if (!may) {
      return false;
    }
    boolean taken = false;
    try {
      taken = takeReserved(wanted);
      return taken;
    } finally {
      giveReservationBack(taken ? 0 : wanted);
    }
  }

  /** Undoes {@link #reserve} of what was not taken. Without the lock. */
  void giveReservationBack(long bytesLeft) {
    long _ =
        quotas.locked(() -> {
          release(bytesLeft);
          return quotas.countOut(guest);
        });
  }

  /** The limit of the guest's own buffers falls first: so both together never have too much. */
  private boolean grow(long wanted) {
    long rest = quotas.share(guest) - presentBytes();
    if (wanted > rest || wanted > lastingRoom()) {
      return false;
    }
    if (!quotas.limitOwn(guest, rest - wanted)) {
      boolean _ = quotas.limitOwn(guest, rest);
      return false;
    }
    bytes.addAndGet(wanted);
    return true;
  }

  /**
   * What may be taken while something waits to return: what the guest keeps when those come back
   * that ceased to use the GPU lately. More would leave too then, and so at each visit.
   */
  private long lastingRoom() {
    return evictedBytes() == 0
        ? Long.MAX_VALUE
        : quotas.lastingShare(guest) - bytes.get() - returning;
  }

  /** Whether the guest's share has room for it beside something else, if the card has. */
  private boolean mayTake(long wanted, long other) {
    return wanted <= quotas.shareIfUsing(guest) - presentBytes() - other
        && wanted <= lastingRoom() - other;
  }

  @Override
  public void add(long more) {
    bytes.addAndGet(more);
    quotas.noteChange();
  }

  @Override
  public void giveBack(long taken) {
    bytes.addAndGet(-taken);
    quotas.noteChange();
  }

  @Override
  public long bytes() {
    return bytes.get();
  }

  /** The guest's share, without what its own buffers have of it. */
  @Override
  public long limitBytes() {
    return quotas.locked(
        () -> Math.max(0, quotas.shareIfUsing(guest) - quotas.ownUse(guest).videoBytes()));
  }

  @Override
  public boolean overflows() {
    return quotas.locked(() -> quotas.overflows(guest));
  }

  /** Evicts what others have beyond their shares. */
  @Override
  public boolean makeRoom() {
    return quotas.makeRoom();
  }
}
