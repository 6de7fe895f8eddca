package io.sluice.channel.policy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemorySharing;
import java.util.function.Supplier;

/** The place of one attached guest; keeps the lock of the quotas from one call to the next. */
@SuppressWarnings("GuardedBy") // which cannot be checked
final class QuotaPlace implements MemorySharing {
  private final MemoryQuotas quotas;
  private final ProgramTable programs;
  private final Guest guest;

  QuotaPlace(MemoryQuotas quotas, ProgramTable programs, Guest guest) {
    this.quotas = quotas;
    this.programs = programs;
    this.guest = guest;
  }

  @Override
  public void changed() {
    quotas.noteChange();
  }

  @Override
  public Reservation makeRoom(long bytes) {
    int _ = programs.evictFor(guest, bytes);
    if (!quotas.tryLock()) {
      return Reservation.FREE;
    }
    return keeping(() -> {
      if (isHere()) {
        quotas.makeRoomFor(guest, bytes);
      }
      return new Made(guest, bytes);
    });
  }

  @Override
  public Reservation makeRoom() {
    int _ = programs.evictFor(guest, 0);
    quotas.takeLock();
    return keeping(() -> {
      if (isHere()) {
        MemoryQuotas.Moves _ = quotas.rebalanceBuffers(guest, () -> {});
      }
      return new Made(guest, 0);
    });
  }

  private boolean isHere() {
    return quotas.isAttached(guest);
  }

  /** Keeps the lock unless the action fails. */
  private Reservation keeping(Supplier<Reservation> action) {
    boolean complete = false;
    try {
      Reservation room = action.get();
      complete = true;
      return room;
    } finally {
      if (!complete) {
        quotas.giveLockBack();
      }
    }
  }

  /** Room under the lock: nothing is brought back into it. */
  private final class Made implements Reservation {
    private final Guest guest;
    private final long bytes;

    Made(Guest guest, long bytes) {
      this.guest = guest;
      this.bytes = bytes;
    }

    @Override
    public void refused(RefusedException why) {
      if (why.errno() == Errno.ENOMEM) {
        boolean _ = quotas.refused(guest.name(), bytes);
      }
    }

    @Override
    public void restored() {
      if (isHere()) {
        quotas.limit(guest);
      }
    }

    @Override
    public void close() {
      quotas.giveLockBack();
    }
  }
}
