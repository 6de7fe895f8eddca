package io.sluice.channel.policy;

import io.sluice.abi.RefusedException;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.Guest;
import io.sluice.quota.MovableBuffer;
import io.sluice.quota.MovePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  private static final Logger log = LoggerFactory.getLogger(BufferMoves.class);

  /** The quotas as this knows them; each call takes their lock. */
  interface Books {
    /** Sets limits to shares, and says where everybody stands. */
    BufferStanding standing();

    /** Buffers of a guest have moved. */
    void moved(String guest, int buffers, boolean toSystem);

    /** Something is left to be moved. */
    void moreIsDue();
  }

  /**
   * The guests at the beginning of a move of their own buffers.
   *
   * @param guests those that are there
   * @param shares what of its share each may have for them
   * @param lasting the same beside those that ceased to use the GPU lately: so much returns
   * @param roomBytes what the card has for all of them
   * @param atRest whether nothing is to move
   */
  record BufferStanding(
      List<Guest> guests,
      SortedMap<String, Long> shares,
      SortedMap<String, Long> lasting,
      long roomBytes,
      boolean atRest) {}

  private final Books books;

  /** Before the lock of the quotas, and before a guest's; never under one of them. */
  private final ReentrantLock moving = new ReentrantLock(true);

  BufferMoves(Books books) {
    this.books = books;
  }

  /** A piece of what is to move: of one guest, in one direction. */
  private record MovingPiece(Guest guest, boolean toSystem, List<Long> ids) {}

  /** As {@link MemoryQuotas#rebalance(Runnable)}. */
  Moves rebalance(Runnable held) {
    moving.lock();
    try {
      return move(held, true);
    } finally {
      moving.unlock();
    }
  }

  /**
   * Moves all that is to move, unless another thread does so for long: its caller wants the room.
   */
  void rebalanceSoon() {
    if (begin()) {
      try {
        moveAll();
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
    BufferStanding standing = books.standing();
    if (standing.atRest()) {
      held.run();
      return new Moves(0, 0);
    }
    List<MovingPiece> pieces = pieces(standing);
    int evicted = 0;
    int returned = 0;
    for (int i = 0; i < pieces.size(); i++) {
      MovingPiece piece = pieces.get(i);
      int moved = move(piece, i == pieces.size() - 1 ? held : () -> {});
      evicted += piece.toSystem() ? moved : 0;
      returned += piece.toSystem() ? 0 : moved;
      if (yields && i < pieces.size() - 1 && moving.hasQueuedThreads()) {
        books.moreIsDue();
        return new Moves(evicted, returned);
      }
    }
    held.run(); // where nothing moved after all
    return new Moves(evicted, returned);
  }

  private int move(MovingPiece piece, Runnable moved) {
    int[] done = new int[1];
    Guest guest = piece.guest();
    ifThere(guest, () -> done[0] = guest.buffers().move(piece.ids(), piece.toSystem(), moved));
    books.moved(guest.name(), done[0], piece.toSystem());
    return done[0];
  }

  /** What leaves comes first: it makes room. */
  private static List<MovingPiece> pieces(BufferStanding standing) {
    List<MovableBuffer> buffers = new ArrayList<>();
    for (Guest guest : standing.guests()) {
      if (guest.capabilities().contains(Capability.EVICTION)) {
        ifThere(guest, () -> buffers.addAll(guest.buffers().movable()));
      }
    }
    MovePlan plan =
        MovePlan.of(standing.roomBytes(), standing.shares(), standing.lasting(), buffers);
    List<MovingPiece> pieces = new ArrayList<>();
    addPieces(plan.evictions(), true, standing.guests(), pieces);
    addPieces(plan.returns(), false, standing.guests(), pieces);
    return pieces;
  }

  private static void addPieces(
      List<MovePlan.Move> moves, boolean toSystem, List<Guest> guests, List<MovingPiece> into) {
    Map<String, List<MovableBuffer>> byGuest = new LinkedHashMap<>();
    for (MovePlan.Move move : moves) {
      byGuest.computeIfAbsent(move.buffer().guest(), _ -> new ArrayList<>()).add(move.buffer());
    }
    for (Guest guest : guests) {
      List<Long> ids = new ArrayList<>();
      long bytes = 0;
      for (MovableBuffer buffer : byGuest.getOrDefault(guest.name(), List.of())) {
        if (bytes >= PIECE_BYTES) {
          into.add(new MovingPiece(guest, toSystem, ids));
          ids = new ArrayList<>();
          bytes = 0;
        }
        ids.add(buffer.id());
        bytes += buffer.bytes();
      }
      if (!ids.isEmpty()) {
        into.add(new MovingPiece(guest, toSystem, ids));
      }
    }
  }

  /** Does something to a guest, unless it is closed meanwhile or its GPU refuses. */
  static void ifThere(Guest guest, Runnable action) {
    try {
      action.run();
    } catch (RefusedException e) {
      if (!guest.isClosed()) {
        log.atWarn().addKeyValue("guest", guest.name()).setCause(e).log("sharing failed");
      }
    }
  }
}
