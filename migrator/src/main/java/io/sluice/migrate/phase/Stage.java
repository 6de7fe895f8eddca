package io.sluice.migrate.phase;

import com.google.common.collect.ImmutableSet;

/**
 * A row of a table of legal transitions. An enum is such a table: it says of each of its constants
 * what may follow.
 *
 * @param <K> the enum
 */
public interface Stage<K extends Stage<K>> {
  /** Those that may follow. */
  ImmutableSet<K> next();

  /** Whether this may be followed by another. */
  default boolean canBecome(K other) {
    return next().contains(other);
  }

  /** Whether nothing follows. */
  default boolean isOver() {
    return next().isEmpty();
  }
}
