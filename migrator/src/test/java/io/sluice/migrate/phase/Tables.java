package io.sluice.migrate.phase;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSetMultimap;

/** Tables of legal transitions, compared with what a test says of them. */
public final class Tables {
  private Tables() {}

  /**
   * Compares every pair.
   *
   * @param oracle by name, written apart from the table: what may follow
   */
  public static <K extends Enum<K> & Stage<K>> void requireEqual(
      Class<K> table, ImmutableSetMultimap<String, String> oracle) {
    for (K from : table.getEnumConstants()) {
      for (K to : table.getEnumConstants()) {
        assertThat(from.canBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(oracle.containsEntry(from.name(), to.name()));
      }
    }
    assertThat(table.getEnumConstants())
        .extracting(Enum::name)
        .containsAll(oracle.keySet())
        .containsAll(oracle.values());
  }
}
