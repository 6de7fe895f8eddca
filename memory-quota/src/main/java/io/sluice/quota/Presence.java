package io.sluice.quota;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The guests for whom room is kept: those that use the GPU, and those that ceased to not long ago
 * and may be back at once. Memory of others does not return into that room: a guest that comes and
 * goes would have it move each time. Guarded by its owner's lock.
 *
 * <p>Room is kept for {@link #SHORTEST}. A guest that comes back has it kept for {@link #PATIENCE}
 * times as long as it was away, when it goes again, and never shorter than before, until it was
 * away for longer than {@link #FORGOTTEN}.
 */
public final class Presence {
  /** Kept for a guest that was not seen before. */
  public static final Duration SHORTEST = Duration.ofSeconds(10);

  /** Kept at most. */
  public static final Duration LONGEST = Duration.ofMinutes(5);

  /** After so long nothing is known of a guest any more. */
  public static final Duration FORGOTTEN = Duration.ofMinutes(20);

  /** How many times as long as a guest was away it is waited for. */
  static final int PATIENCE = 4;

  private final Map<String, Visit> visits = new HashMap<>();

  /**
   * The last stay of a guest, or the one it is in.
   *
   * @param here whether it uses the GPU
   * @param ceasedNs when it ceased to, if it does not
   * @param keptNs for how long room is kept for it then
   */
  private record Visit(boolean here, long ceasedNs, long keptNs) {
    static final Visit FIRST = new Visit(true, 0, SHORTEST.toNanos());

    Visit goes(long nowNs) {
      return here ? new Visit(false, nowNs, keptNs) : this;
    }

    Visit comes(long nowNs) {
      long awayNs = nowNs - ceasedNs;
      if (here || awayNs > FORGOTTEN.toNanos()) {
        return here ? this : FIRST;
      }
      long longer = Math.max(keptNs, awayNs * PATIENCE);
      return new Visit(true, 0, Math.min(longer, LONGEST.toNanos()));
    }

    boolean keepsRoom(long nowNs) {
      return here || nowNs - ceasedNs < keptNs;
    }
  }

  /**
   * Takes note of who uses the GPU now.
   *
   * @param using names
   * @param nowNs monotonic
   * @return the names of those for whom room is kept: these, and others
   */
  public Set<String> note(Set<String> using, long nowNs) {
    visits.replaceAll((name, visit) -> using.contains(name) ? visit : visit.goes(nowNs));
    for (String name : using) {
      Visit known = visits.getOrDefault(name, Visit.FIRST);
      visits.put(name, known.comes(nowNs));
    }
    Set<String> kept = new TreeSet<>(using);
    visits.forEach((name, visit) -> {
      if (visit.keepsRoom(nowNs)) {
        kept.add(name);
      }
    });
    return kept;
  }

  /** Forgets a guest. */
  public void remove(String guest) {
    visits.remove(guest);
  }
}
