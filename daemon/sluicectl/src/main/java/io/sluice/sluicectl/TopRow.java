package io.sluice.sluicectl;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A guest between two looks at the daemon.
 *
 * @param guest how it stands
 * @param quota what it has
 * @param gpuPercent GPU time used, of the time between the looks
 * @param waitPercent time it had work and others had the GPU, of the same
 */
record TopRow(GuestStatus guest, QuotaStatus quota, double gpuPercent, double waitPercent) {
  private static final double PERCENT = 100;

  /**
   * An answer of the daemon.
   *
   * @param guests by name
   * @param quotas by the guest's name
   * @param atNs when, in nanoseconds
   */
  record Look(Map<String, GuestStatus> guests, Map<String, QuotaStatus> quotas, long atNs) {}

  /** A row for each guest of the second look, the busiest first. */
  static List<TopRow> between(Look before, Look after) {
    long elapsedNs = after.atNs() - before.atNs();
    List<TopRow> rows = new ArrayList<>();
    for (GuestStatus guest : after.guests().values()) {
      QuotaStatus now = after.quotas().get(guest.name());
      if (now == null) {
        continue; // destroyed between two questions
      }
      QuotaStatus then = before.quotas().getOrDefault(guest.name(), now);
      rows.add(
          new TopRow(
              guest,
              now,
              percent(now.gpuNs() - then.gpuNs(), elapsedNs),
              percent(now.waitNs() - then.waitNs(), elapsedNs)));
    }
    rows.sort(
        Comparator.comparingDouble(TopRow::gpuPercent)
            .reversed()
            .thenComparing(row -> row.guest().name()));
    return rows;
  }

  /** With one decimal; a guest that was destroyed and made anew has less than before: 0. */
  private static double percent(long ns, long elapsedNs) {
    return elapsedNs <= 0 || ns <= 0 ? 0 : Math.round(PERCENT * 10 * ns / elapsedNs) / 10.0;
  }
}
