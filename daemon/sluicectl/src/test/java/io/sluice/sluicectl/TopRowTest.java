package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.sluice.management.GuestStatus;
import io.sluice.management.QuotaStatus;
import io.sluice.sluicectl.TopRow.Look;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TopRowTest {
  private static final long S = 1_000_000_000;

  private static Look look(long atNs, QuotaStatus... quotas) {
    Map<String, GuestStatus> guests = new TreeMap<>();
    Map<String, QuotaStatus> byName = new TreeMap<>();
    for (QuotaStatus quota : quotas) {
      byName.put(quota.guest(), quota);
      guests.put(
          quota.guest(),
          new GuestStatus(
              quota.guest(), "", GuestStatus.RUNNING, "g", "", "", "", 1, 1, "", 0, 0, 0, 0));
    }
    return new Look(guests, byName, atNs);
  }

  private static QuotaStatus quota(String guest, long gpuNs, long waitNs) {
    return new QuotaStatus(
        guest, "g", 0, 1, 0, "", 0, false, true, 0, 0, 0, 0, 0, 0, 0, 0, gpuNs, waitNs);
  }

  @Test
  void between_twoLooks_dividesByTheTimeBetween() {
    List<TopRow> rows =
        TopRow.between(
            look(5 * S, quota("a", 7 * S, 0), quota("b", 0, 9 * S)),
            look(7 * S, quota("a", 7 * S + S / 2, 0), quota("b", 3 * S / 2, 9 * S + 3)));

    assertThat(rows)
        .extracting(r -> r.guest().name(), TopRow::gpuPercent, TopRow::waitPercent)
        .containsExactly(tuple("b", 75.0, 0.0), tuple("a", 25.0, 0.0));
  }

  @Test
  void between_guestThatIsNewGoneOrMadeAnew_isNothingOrLeftOut() {
    Look after = look(S, quota("new", 5, 5), quota("anew", 0, 0));
    after.quotas().remove("gone");
    List<TopRow> rows = TopRow.between(look(0, quota("anew", S, S), quota("gone", 1, 1)), after);

    assertThat(rows)
        .extracting(r -> r.guest().name(), TopRow::gpuPercent, TopRow::waitPercent)
        .containsExactly(tuple("anew", 0.0, 0.0), tuple("new", 0.0, 0.0));
  }

  @Test
  void between_looksAtOneMoment_isNothing() {
    assertThat(TopRow.between(look(S, quota("a", 0, 0)), look(S, quota("a", 9, 0))))
        .extracting(TopRow::gpuPercent)
        .containsExactly(0.0);
  }
}
