package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class QuotaTableTest {
  private static final Admission ADMITTED = new Admission.Admitted();

  private final QuotaTable table = new QuotaTable(80);

  private static Quota quota(long minimum) {
    return SharesTest.quota(minimum, 1, Quota.NO_LIMIT);
  }

  @Test
  void quotaTable_cardOutOfRange_refuses() {
    assertThatThrownBy(() -> new QuotaTable(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new QuotaTable(QuotaTable.MAX_CARD_BYTES + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void put_minimumDoesNotFit_refusesWithTheNumbers() {
    table.put("a", quota(20));
    table.put("b", quota(28));
    assertThat(table.put("c", quota(40)))
        .isEqualTo(
            new Admission.Refused(
                Admission.RefusalReason.DOES_NOT_FIT,
                "the minimums of 2 guests leave 32 bytes of 80, 40 requested",
                "Ask for a minimum of 32 bytes or less, or lower another guest's.",
                32));
    assertThat(table.contains("c")).isFalse();
  }

  @Test
  void put_largestMinimum_refusesWithoutOverflow() {
    table.put("a", quota(80));
    assertRefused(table.put("b", quota(Long.MAX_VALUE)), Admission.RefusalReason.DOES_NOT_FIT);
  }

  @Test
  void put_tooManyGuests_refuses() {
    for (int i = 0; i < QuotaTable.MAX_GUESTS; i++) {
      assertThat(table.put("g" + i, quota(0))).isEqualTo(ADMITTED);
    }
    assertRefused(table.put("a", quota(0)), Admission.RefusalReason.TOO_MANY);
    assertThat(table.put("g7", quota(1))).as("one of them").isEqualTo(ADMITTED);
  }

  @Test
  void put_minimumFillsTheCard_admits() {
    assertThat(table.put("a", quota(48))).isEqualTo(ADMITTED);
    assertThat(table.put("b", quota(32))).isEqualTo(ADMITTED);
  }

  @Test
  void put_again_doesNotCountWhatTheGuestHad() {
    table.put("a", quota(48));
    assertThat(table.put("a", quota(80))).isEqualTo(ADMITTED);
    assertThat(table.get("a")).isEqualTo(quota(80));
    table.remove("a");
    assertThat(table.get("a")).isEqualTo(Quota.DEFAULT);
  }

  @Test
  void check_changesNothing() {
    assertThat(table.check("a", quota(80))).isEqualTo(ADMITTED);
    assertThat(table.contains("a")).isFalse();
  }

  @Test
  void shares_idleGuest_leavesItsPartToTheOthers() {
    table.put("a", quota(0));
    table.put("b", quota(4));
    assertThat(table.shares(Set.of("a", "unknown"))).isEqualTo(Map.of("a", 80L, "b", 0L));
  }

  private static void assertRefused(Admission answer, Admission.RefusalReason rule) {
    assertThat(answer)
        .isInstanceOfSatisfying(
            Admission.Refused.class, refused -> assertThat(refused.rule()).isEqualTo(rule));
  }
}
