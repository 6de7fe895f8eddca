package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

/**
 * The end of a snapshot: without it something is missing.
 *
 * @param records how many came before
 */
public record EndRecord(long records) implements StateRecord {
  /** Refuses what no end is. */
  public EndRecord {
    check(records > 0, "a snapshot is not empty");
  }
}
