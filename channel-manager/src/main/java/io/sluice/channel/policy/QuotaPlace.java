package io.sluice.channel.policy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.MemorySharing;
import java.util.function.BooleanSupplier;

/** The place of one attached guest; keeps others from moving from one call to the next. */
@SuppressWarnings(
    "GuardedBy") // within actions that are handed to the lock, which cannot be checked
final class QuotaPlace implements MemorySharing {
  private final MemoryQuotas quotas;
  private final BufferMoves moves;
  private final ProgramTable programs;
  private final Guest guest;

  QuotaPlace(MemoryQuotas quotas, BufferMoves moves, ProgramTable programs, Guest guest) {
    this.quotas = quotas;
    this.moves = moves;
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
    return moves.begin()
        ? made(bytes, () -> isHere() && quotas.mayHave(guest, bytes))
        : Reservation.FREE;
  }

  @Override
  public Reservation makeRoom() {
    int _ = programs.evictFor(guest, 0);
    moves.beginAtLast();
    return made(0, this::isHere);
  }

  private boolean isHere() {
    return quotas.isAttached(guest);
  }

  /**
   * Makes room if that is worth it; what cannot become true is no reason to disturb others. Nobody
   * else moves until the room is closed, or this fails.
   */
  private Reservation made(long bytes, BooleanSupplier isWorthIt) {
    Made room = new Made(bytes);
    boolean complete = false;
    try {
      boolean makes =
          quotas.locked(() -> {
            boolean worth = isWorthIt.getAsBoolean();
            quotas.setArriving(worth ? guest : null);
            return worth;
          });
      if (makes) {
        moves.moveAll();
      }
      complete = true;
      return room;
    } finally {
      if (!complete) {
        room.close();
      }
    }
  }

  /** Room that nothing is brought back into, nor is counted out to others. */
  private final class Made implements Reservation {
    private final long bytes;

    Made(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public void refused(RefusedException why) {
      if (why.errno() == Errno.ENOMEM) {
        boolean _ = quotas.locked(() -> quotas.refused(guest.name(), bytes));
      }
    }

    @Override
    public void restored() {
      boolean _ = quotas.locked(() -> isHere() && quotas.limitAll());
    }

    @Override
    public void close() {
      try {
        boolean _ =
            quotas.locked(() -> {
              quotas.setArriving(null);
              return true;
            });
      } finally {
        moves.end();
      }
    }
  }
}
