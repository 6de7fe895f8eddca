package io.sluice.migrate.link;

import java.util.OptionalInt;

/**
 * Versions of a protocol that a side speaks: its own and the one before, so that neighbours
 * understand each other and hosts can be brought to a new version one by one.
 *
 * @param oldest at least 1
 * @param newest not below the oldest
 */
public record VersionRange(int oldest, int newest) {
  /** Refuses what is no range. */
  public VersionRange {
    if (!isRange(oldest, newest)) {
      throw new IllegalArgumentException("no versions, oldest=" + oldest + " newest=" + newest);
    }
  }

  /** What a side of a version speaks. */
  public static VersionRange of(int version) {
    return new VersionRange(Math.max(1, version - 1), version);
  }

  /** Whether two words of a peer can be a range. */
  public static boolean isRange(int oldest, int newest) {
    return oldest >= 1 && newest >= oldest;
  }

  /** The newest version that both speak; empty when there is none. */
  public OptionalInt agreed(VersionRange other) {
    int best = Math.min(newest, other.newest);
    return best >= Math.max(oldest, other.oldest) ? OptionalInt.of(best) : OptionalInt.empty();
  }

  /** For messages: {@code 1 to 2}. */
  @Override
  public String toString() {
    return oldest + " to " + newest;
  }
}
