package io.sluice.channel.policy;

import io.sluice.channel.Capability;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.policy.MemoryQuotas.BufferStanding;
import io.sluice.channel.policy.MemoryQuotas.Moves;
import io.sluice.quota.MovableBuffer;
import io.sluice.quota.MovePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The moving of guests' own buffers between video and system memory. What is to move is decided
 * under the lock of the quotas and moved without it: memory takes its time, and others want the
 * lock meanwhile. One thread moves at a time, or has room that was made for it; whoever wants room
 * is let in between two pieces.
 */
final class BufferMoves {
  /** How long an allocation waits for moves that another thread has begun. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Bytes of one guest after which others get their turn; a buffer may be larger. */
  static final long PIECE_BYTES = 2L << 30;

  private final MemoryQuotas quotas;

  /** Before the lock of the quotas, and before a guest's; never under one of them. */
  private final ReentrantLock moving = new ReentrantLock(true);

  BufferMoves(MemoryQuotas quotas) {
    this.quotas = quotas;
  }

  /** A piece of what is to move: of one guest, in one direction. */
  private record Piece(Guest guest, boolean toSystem, List<Long> ids) {}

  /** As {@link MemoryQuotas#rebalance(Runnable)}. */
  Moves rebalance(Runnable held) {
    moving.lock();
    try {
      return move(held, true);
    } finally {
      moving.unlock();
    }
  }

  /** Moves what is to move, unless another thread does so for long. */
  void rebalanceSoon() {
    if (begin()) {
      try {
        Moves _ = move(() -> {}, true);
      } finally {
        end();
      }
    }
  }

  /** Keeps others from moving until {@link #end}; false if another thread moves for long. */
  boolean begin() {
    try {
      return moving.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** As {@link #begin}, however long another thread moves. */
  void beginAtLast() {
    moving.lock();
  }

  /** Lets others move. */
  void end() {
    moving.unlock();
  }

  /** Moves all that is to move; between {@link #begin} and {@link #end}. */
  void moveAll() {
    Moves _ = move(() -> {}, false);
  }

  /**
   * @param held as {@link MemoryQuotas#rebalance(Runnable)} says
   * @param yields whether to leave the rest for later when somebody waits
   */
  private Moves move(Runnable held, boolean yields) {
    BufferStanding standing = quotas.standing();
    if (standing.atRest()) {
      held.run();
      return new Moves(0, 0);
    }
    List<Piece> pieces = pieces(standing);
    int evicted = 0;
    int returned = 0;
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      int moved = move(piece, i == pieces.size() - 1 ? held : () -> {});
      evicted += piece.toSystem() ? moved : 0;
      returned += piece.toSystem() ? 0 : moved;
      if (yields && i < pieces.size() - 1 && moving.hasQueuedThreads()) {
        quotas.noteChange();
        return new Moves(evicted, returned);
      }
    }
    held.run(); // where nothing moved after all
    return new Moves(evicted, returned);
  }

  private int move(Piece piece, Runnable moved) {
    int[] done = new int[1];
    Guest guest = piece.guest();
    MemoryQuotas.ifThere(
        guest, () -> done[0] = guest.buffers().move(piece.ids(), piece.toSystem(), moved));
    quotas.moved(guest.name(), done[0], piece.toSystem());
    return done[0];
  }

  /** What leaves comes first: it makes room. */
  private static List<Piece> pieces(BufferStanding standing) {
    List<MovableBuffer> buffers = new ArrayList<>();
    for (Guest guest : standing.guests()) {
      if (guest.capabilities().contains(Capability.EVICTION)) {
        MemoryQuotas.ifThere(guest, () -> buffers.addAll(guest.buffers().movable()));
      }
    }
    MovePlan plan =
        MovePlan.of(standing.roomBytes(), standing.shares(), standing.lasting(), buffers);
    List<Piece> pieces = new ArrayList<>();
    addPieces(plan.evictions(), true, standing.guests(), pieces);
    addPieces(plan.returns(), false, standing.guests(), pieces);
    return pieces;
  }

  private static void addPieces(
      List<MovePlan.Move> moves, boolean toSystem, List<Guest> guests, List<Piece> into) {
    Map<String, List<MovableBuffer>> byGuest = new LinkedHashMap<>();
    for (MovePlan.Move move : moves) {
      byGuest.computeIfAbsent(move.buffer().guest(), _ -> new ArrayList<>()).add(move.buffer());
    }
    for (Guest guest : guests) {
      List<Long> ids = new ArrayList<>();
      long bytes = 0;
      for (MovableBuffer buffer : byGuest.getOrDefault(guest.name(), List.of())) {
        if (bytes >= PIECE_BYTES) {
          into.add(new Piece(guest, toSystem, ids));
          ids = new ArrayList<>();
          bytes = 0;
        }
        ids.add(buffer.id());
        bytes += buffer.bytes();
      }
      if (!ids.isEmpty()) {
        into.add(new Piece(guest, toSystem, ids));
      }
    }
  }
}
