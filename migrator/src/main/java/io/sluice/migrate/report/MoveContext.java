package io.sluice.migrate.report;

import com.google.common.collect.ImmutableSortedMap;
import java.time.Instant;

/**
 * The circumstances of a migration, which its engine does not know.
 *
 * @param from name of this host; empty unknown
 * @param to the destination, as the operator called it
 * @param version of this daemon; empty unknown
 * @param machine what runs the machine, with its version; empty for a process
 * @param gpu model of the GPU; empty unknown
 * @param options that the operator gave
 * @param startedAt when it began
 */
public record MoveContext(
    String from,
    String to,
    String version,
    String machine,
    String gpu,
    ImmutableSortedMap<String, String> options,
    Instant startedAt) {
  /** That nothing is known of but when it began. */
  public static MoveContext at(Instant startedAt) {
    return new MoveContext("", "", "", "", "", ImmutableSortedMap.of(), startedAt);
  }
}
