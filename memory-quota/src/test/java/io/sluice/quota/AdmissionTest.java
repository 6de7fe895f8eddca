package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AdmissionTest {
  private static GuestQuota guest(String name, long minimum, int weight, long limit) {
    return new GuestQuota(name, minimum, weight, limit, false, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 1, 10",
    "0, 0, 10",
    "0, -5, 10",
    "0, 1025, 10",
    "0, 1, -1",
    "5, 1, 4",
    "-9223372036854775808, 1, 10"
  })
  void check_valueOutOfRange_refuses(long minimum, int weight, long limit) {
    assertRefused(
        Admission.check(100, List.of(), guest("a", minimum, weight, limit)), "SLU-QUOTA-001");
  }

  @Test
  void check_minimumDoesNotFit_refusesWithTheNumbers() {
    List<GuestQuota> others = List.of(guest("a", 20, 1, 100), guest("b", 28, 1, 100));
    Admission refused = Admission.check(80, others, guest("c", 40, 1, 100));
    assertThat(refused)
        .isEqualTo(
            new Admission.Refused(
                "SLU-QUOTA-002",
                "c",
                "the minimums of 2 guests leave 32 bytes of 80, 40 requested",
                "Ask for a minimum of 32 bytes or less, or lower another guest's.",
                32));
  }

  @Test
  void check_largestMinimum_refusesWithoutOverflow() {
    GuestQuota huge = guest("b", Long.MAX_VALUE, 1, Long.MAX_VALUE);
    assertRefused(Admission.check(80, List.of(guest("a", 80, 1, 80)), huge), "SLU-QUOTA-002");
  }

  @Test
  void check_nameTwice_refuses() {
    GuestQuota twice = guest("a", 0, 1, 10);
    assertRefused(Admission.check(80, List.of(twice), twice), "SLU-QUOTA-003");
  }

  @Test
  void check_tooManyGuests_refuses() {
    List<GuestQuota> others = new ArrayList<>();
    for (int i = 0; i < Admission.MAX_GUESTS; i++) {
      others.add(guest("g" + i, 0, 1, 10));
    }
    assertRefused(Admission.check(80, others, guest("a", 0, 1, 10)), "SLU-QUOTA-004");
  }

  @Test
  void check_minimumFillsTheCard_admits() {
    assertThat(Admission.check(80, List.of(guest("a", 48, 1, 80)), guest("b", 32, 1, 80)))
        .isEqualTo(new Admission.Admitted());
  }

  private static void assertRefused(Admission answer, String code) {
    assertThat(answer)
        .isInstanceOfSatisfying(
            Admission.Refused.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }
}
