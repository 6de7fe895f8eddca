package io.sluice.quota;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The buffers that move so that every guest keeps to its share.
 *
 * <p><b>Eviction.</b> A guest that holds more than its share gives buffers up until it does not.
 * First those that no address space maps, because no program can notice; then the mapped ones.
 * Among either kind the smallest that covers all that is still to be freed, or the largest when
 * none does: few buffers move, and little more than necessary. Whatever turns out superfluous
 * stays. GPUs do not report what they read, so there is no order of last use.
 *
 * <p><b>Return.</b> When nobody is over, buffers come back that fit into both their guest's lasting
 * share and the free video memory, mapped ones first, then the largest, then the lowest id. A guest
 * that comes to its share this way is not over it: what returned is not evicted again before a
 * share or an allocation changes.
 *
 * @param evictions in the order they are to be made
 * @param returns to be made after the evictions
 */
public record MovePlan(List<Move> evictions, List<Move> returns) {
  /** The reason for which a buffer moves. */
  public enum MoveReason {
    /** Evicted: no address space maps it. */
    UNMAPPED,
    /** Evicted: the smallest that frees all that is to be freed. */
    COVERS_REST,
    /** Evicted: none frees enough, this one frees most. */
    LARGEST,
    /** Returned: there is room. */
    ROOM
  }

  /** One buffer moves to the other kind of memory. */
  public record Move(MovableBuffer buffer, MoveReason reason) {}

  private static final Comparator<MovableBuffer> RETURN_ORDER =
      Comparator.comparing(MovableBuffer::mapped)
          .reversed()
          .thenComparing(Comparator.comparingLong(MovableBuffer::bytes).reversed())
          .thenComparing(MovableBuffer::guest)
          .thenComparingLong(MovableBuffer::id);

  private static final Comparator<MovableBuffer> SMALLEST =
      Comparator.comparingLong(MovableBuffer::bytes).thenComparingLong(MovableBuffer::id);

  /**
   * @param cardBytes video memory of the card
   * @param shares bytes by guest, from {@link Shares}; a guest that is not in it has 0
   * @param lasting the part of them into which buffers return, in the same form
   * @param buffers all buffers of all guests that were allocated in video memory
   */
  public static MovePlan of(
      long cardBytes,
      Map<String, Long> shares,
      Map<String, Long> lasting,
      Collection<MovableBuffer> buffers) {
    SortedMap<String, List<MovableBuffer>> resident = new TreeMap<>();
    Map<String, Long> held = new HashMap<>();
    long free = cardBytes;
    for (MovableBuffer buffer : buffers) {
      if (!buffer.evicted()) {
        resident.computeIfAbsent(buffer.guest(), _ -> new ArrayList<>()).add(buffer);
        held.merge(buffer.guest(), buffer.bytes(), Math::addExact);
        free = Math.subtractExact(free, buffer.bytes());
      }
    }
    List<Move> evictions = new ArrayList<>();
    for (Map.Entry<String, List<MovableBuffer>> each : resident.entrySet()) {
      String guest = each.getKey();
      long share = shares.getOrDefault(guest, 0L);
      for (Move move : evict(each.getValue(), held.getOrDefault(guest, 0L) - share)) {
        evictions.add(move);
        held.merge(guest, -move.buffer().bytes(), Math::addExact);
        free += move.buffer().bytes();
      }
    }
    return new MovePlan(List.copyOf(evictions), bringBack(free, lasting, held, buffers));
  }

  private static List<Move> evict(List<MovableBuffer> resident, long excess) {
    List<MovableBuffer> unmapped = new ArrayList<>();
    List<MovableBuffer> mapped = new ArrayList<>();
    resident.stream().sorted(SMALLEST).forEach(b -> (b.mapped() ? mapped : unmapped).add(b));
    List<Move> chosen = new ArrayList<>();
    long rest = choose(unmapped, excess, chosen);
    rest = choose(mapped, rest, chosen);
    // What was chosen early may not be needed any more; the mapped ones are spared first.
    long spare = -rest;
    for (int i = chosen.size() - 1; i >= 0; i--) {
      long bytes = chosen.get(i).buffer().bytes();
      if (bytes <= spare) {
        spare -= bytes;
        chosen.remove(i);
      }
    }
    return chosen;
  }

  /** Takes from candidates, ascending by size; returns what is still to be freed, maybe below 0. */
  private static long choose(List<MovableBuffer> candidates, long excess, List<Move> chosen) {
    long rest = excess;
    while (rest > 0 && !candidates.isEmpty()) {
      int index = 0;
      while (index < candidates.size() - 1 && candidates.get(index).bytes() < rest) {
        index++;
      }
      MovableBuffer buffer = candidates.remove(index);
      MoveReason size = buffer.bytes() >= rest ? MoveReason.COVERS_REST : MoveReason.LARGEST;
      chosen.add(new Move(buffer, buffer.mapped() ? size : MoveReason.UNMAPPED));
      rest -= buffer.bytes();
    }
    return rest;
  }

  private static List<Move> bringBack(
      long free,
      Map<String, Long> lasting,
      Map<String, Long> held,
      Collection<MovableBuffer> buffers) {
    List<Move> returns = new ArrayList<>();
    long left = free;
    for (MovableBuffer buffer :
        buffers.stream().filter(MovableBuffer::evicted).sorted(RETURN_ORDER).toList()) {
      long used = held.getOrDefault(buffer.guest(), 0L);
      if (buffer.bytes() <= left
          && buffer.bytes() <= lasting.getOrDefault(buffer.guest(), 0L) - used) {
        left -= buffer.bytes();
        held.put(buffer.guest(), used + buffer.bytes());
        returns.add(new Move(buffer, MoveReason.ROOM));
      }
    }
    return List.copyOf(returns);
  }
}
