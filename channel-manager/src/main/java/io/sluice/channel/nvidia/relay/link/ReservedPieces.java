package io.sluice.channel.nvidia.relay.link;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The pieces of segments that a program in a machine has for memory of its own: each stays until
 * the program has given it back and RM has nothing pinned in it.
 */
final class ReservedPieces {
  /** Most of them, as many as the library knows. */
  private static final int MOST = 4096;

  private static final class ReservedPiece {
    final SegmentSpace.SpaceRange place;
    boolean held = true; // by the program
    int pins;

    ReservedPiece(SegmentSpace.SpaceRange place) {
      this.place = place;
    }
  }

  private record PieceName(int segment, long offset) {}

  private final SegmentSpace space;
  private final Map<PieceName, ReservedPiece> pieces = new HashMap<>();

  ReservedPieces(SegmentSpace space) {
    this.space = space;
  }

  boolean isFull() {
    return pieces.size() >= MOST;
  }

  void add(SegmentSpace.SpaceRange place) {
    pieces.put(new PieceName(place.segment(), place.offset()), new ReservedPiece(place));
  }

  /** The program gives a piece back; false when it has none there. */
  boolean release(int segment, long offset) {
    ReservedPiece piece = pieces.get(new PieceName(segment, offset));
    if (piece == null || !piece.held) {
      return false;
    }
    piece.held = false;
    settle(piece);
    return true;
  }

  /**
   * Pins a part of a piece.
   *
   * @return what unpins it; empty when the part is not in one piece of the program's
   */
  Optional<Runnable> pin(SegmentSpace.SpaceRange part) {
    for (ReservedPiece piece : pieces.values()) {
      if (piece.held
          && piece.place.segment() == part.segment()
          && part.offset() >= piece.place.offset()
          && part.end() <= piece.place.end()) {
        piece.pins++;
        return Optional.of(() -> {
          piece.pins--;
          settle(piece);
        });
      }
    }
    return Optional.empty();
  }

  private void settle(ReservedPiece piece) {
    if (!piece.held && piece.pins == 0) {
      pieces.remove(new PieceName(piece.place.segment(), piece.place.offset()));
      space.giveBack(piece.place);
    }
  }
}
