package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class SharesTest {
  /** A common multiple of all sums of weights in the small scope: levels are whole multiples. */
  private static final int FINE = 60;

  private static GuestQuota guest(String name, long minimum, int weight, long limit) {
    return new GuestQuota(name, minimum, weight, limit, true, 0);
  }

  @Test
  void of_minimumsAboveCard_throws() {
    List<GuestQuota> guests =
        List.of(guest("a", 3, 1, GuestQuota.NO_LIMIT), guest("b", 3, 1, GuestQuota.NO_LIMIT));
    assertThatThrownBy(() -> Shares.of(5, guests)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void of_largestValues_doesNotOverflow() {
    List<GuestQuota> guests = new ArrayList<>();
    for (int i = 0; i < Admission.MAX_GUESTS; i++) {
      guests.add(guest("g" + i, 0, GuestQuota.MAX_WEIGHT, GuestQuota.NO_LIMIT));
    }
    assertThat(Shares.of(Admission.MAX_CARD_BYTES, guests).values())
        .containsOnly(Admission.MAX_CARD_BYTES / Admission.MAX_GUESTS);
  }

  @Test
  void of_idleGuest_leavesItsPartToTheOthers() {
    GuestQuota idle = new GuestQuota("b", 4, 1, GuestQuota.NO_LIMIT, false, 0);
    assertThat(Shares.of(10, List.of(guest("a", 0, 1, GuestQuota.NO_LIMIT), idle)))
        .isEqualTo(Map.of("a", 10L, "b", 0L));
  }

  @Test
  void of_allSmallStates_equalsTheOracle() {
    List<GuestQuota> kinds = new ArrayList<>();
    for (long minimum = 0; minimum <= 3; minimum++) {
      for (int weight = 1; weight <= 2; weight++) {
        for (long limit : new long[] {minimum, 4, GuestQuota.NO_LIMIT}) {
          kinds.add(new GuestQuota("", minimum, weight, limit, true, 0));
        }
      }
    }
    kinds.add(new GuestQuota("", 2, 1, GuestQuota.NO_LIMIT, false, 0));
    int checked = 0;
    for (GuestQuota a : kinds) {
      for (GuestQuota b : kinds) {
        for (GuestQuota c : kinds) {
          List<GuestQuota> guests = List.of(named("a", a), named("b", b), named("c", c));
          for (int card = 0; card <= 9; card++) {
            checked += checkOne(card, guests);
          }
        }
      }
    }
    assertThat(checked).isGreaterThan(50_000);
  }

  private static GuestQuota named(String name, GuestQuota kind) {
    return new GuestQuota(
        name, kind.minimumBytes(), kind.weight(), kind.limitBytes(), kind.usesGpu(), 0);
  }

  private static int checkOne(int card, List<GuestQuota> guests) {
    long minimums =
        guests.stream().filter(GuestQuota::usesGpu).mapToLong(GuestQuota::minimumBytes).sum();
    if (minimums > card) {
      return 0;
    }
    List<Long> expected = oracle(card, guests);
    List<Long> shares = List.copyOf(Shares.of(card, guests).values());
    if (!shares.equals(expected)) {
      throw new AssertionError(
          "card=" + card + " " + guests + " is " + shares + ", expected " + expected);
    }
    return 1;
  }

  /** Tries every level in steps of 1/60, from the top: no turning points, no division of shares. */
  private static List<Long> oracle(int card, List<GuestQuota> guests) {
    for (long level = (long) FINE * card; ; level--) {
      List<Long> fine = new ArrayList<>();
      for (GuestQuota guest : guests) {
        long most = FINE * Math.min(guest.limitBytes(), card);
        long risen = Math.min(most, Math.max(FINE * guest.minimumBytes(), guest.weight() * level));
        fine.add(guest.usesGpu() ? risen : 0L);
      }
      if (fine.stream().mapToLong(Long::longValue).sum() <= (long) FINE * card) {
        return fine.stream().map(each -> each / FINE).toList();
      }
    }
  }

  @Test
  void of_randomGuests_keepsTheRules(RandomGenerator random) {
    for (int round = 0; round < 20_000; round++) {
      long card = random.nextLong(1L << random.nextInt(1, 45));
      List<GuestQuota> guests = new ArrayList<>();
      long left = card;
      int count = random.nextInt(1, 12);
      SortedMap<String, Long> before = Shares.of(card, guests);
      for (int i = 0; i < count; i++) {
        long minimum = random.nextBoolean() ? 0 : random.nextLong(left + 1);
        left -= minimum;
        long limit =
            random.nextBoolean() ? GuestQuota.NO_LIMIT : random.nextLong(minimum, card + 1);
        guests.add(guest("g" + i, minimum, random.nextInt(1, 1025), limit));
        SortedMap<String, Long> shares = Shares.of(card, guests);
        checkRules(card, guests, shares);
        before.forEach((name, was) -> assertThat(shares.get(name)).isLessThanOrEqualTo(was));
        before = shares;
      }
    }
  }

  private static void checkRules(
      long card, List<GuestQuota> guests, SortedMap<String, Long> shares) {
    long sum = 0;
    long limits = 0;
    for (GuestQuota guest : guests) {
      long limit = Math.min(card, guest.limitBytes());
      long share = shares.getOrDefault(guest.name(), -1L);
      assertThat(share).isBetween(guest.minimumBytes(), limit);
      sum += share;
      limits += limit;
    }
    // Nothing is wasted but what rounding takes: less than one byte of each guest.
    assertThat(sum).isBetween(Math.min(card, limits) - guests.size() + 1, card);
    assertThat(Shares.of(card, guests.reversed())).isEqualTo(shares);
  }
}
