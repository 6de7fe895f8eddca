package io.sluice.channel.policy;

import io.sluice.quota.Presence;
import io.sluice.quota.QuotaTable;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The shares of the guests of one GPU, as they were last counted out. Guarded by the lock of the
 * quotas.
 */
final class CountedShares {
  private final QuotaTable quotas;
  private final LongSupplier clock;
  private final Presence presence = new Presence();
  private SortedMap<String, Long> now = new TreeMap<>();
  private SortedMap<String, Long> lasting = new TreeMap<>();

  /**
   * @param clock monotonic nanoseconds
   */
  CountedShares(QuotaTable quotas, LongSupplier clock) {
    this.quotas = quotas;
    this.clock = clock;
  }

  /** Counts out anew; who comes and who goes is taken note of. */
  void count(Set<String> using) {
    now = quotas.shares(using);
    lasting = quotas.shares(presence.note(using, clock.getAsLong()));
  }

  /** What each guest may have. */
  SortedMap<String, Long> now() {
    return now;
  }

  /** The same beside those that ceased to use the GPU lately: so much returns. */
  SortedMap<String, Long> lasting() {
    return lasting;
  }

  /** A guest that is destroyed is not waited for. */
  void remove(String guest) {
    presence.remove(guest);
  }
}
