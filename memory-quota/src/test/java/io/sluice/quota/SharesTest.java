package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class SharesTest {
  /** A common multiple of all sums of weights in the small scope: levels are whole multiples. */
  private static final int FINE = 60;

  /** A guest of a card. */
  private record Guest(String name, Quota quota, boolean usesGpu) {
    long minimumBytes() {
      return quota.minimumBytes();
    }

    long limitBytes() {
      return quota.limitBytes();
    }
  }

  private static Guest guest(String name, long minimum, int weight, long limit) {
    return new Guest(name, quota(minimum, weight, limit), true);
  }

  static Quota quota(long minimum, int weight, long limit) {
    return new Quota(
        minimum, weight, limit, BeyondShare.OUT_OF_MEMORY, Quota.DEFAULT.killTimeout());
  }

  private static SortedMap<String, Long> shares(long card, List<Guest> guests) {
    Map<String, Quota> using = new LinkedHashMap<>();
    SortedMap<String, Long> shares = new TreeMap<>();
    for (Guest guest : guests) {
      shares.put(guest.name(), 0L);
      if (guest.usesGpu()) {
        using.put(guest.name(), guest.quota());
      }
    }
    shares.putAll(Shares.of(card, using));
    return shares;
  }

  @Test
  void of_minimumsAboveCard_throws() {
    List<Guest> guests =
        List.of(guest("a", 3, 1, Quota.NO_LIMIT), guest("b", 3, 1, Quota.NO_LIMIT));
    assertThatThrownBy(() -> shares(5, guests)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void of_largestValues_doesNotOverflow() {
    List<Guest> guests = new ArrayList<>();
    for (int i = 0; i < QuotaTable.MAX_GUESTS; i++) {
      guests.add(guest("g" + i, 0, Quota.MAX_WEIGHT, Quota.NO_LIMIT));
    }
    assertThat(shares(QuotaTable.MAX_CARD_BYTES, guests).values())
        .containsOnly(QuotaTable.MAX_CARD_BYTES / QuotaTable.MAX_GUESTS);
  }

  @Test
  void of_idleGuest_leavesItsPartToTheOthers() {
    Guest idle = new Guest("b", quota(4, 1, Quota.NO_LIMIT), false);
    assertThat(shares(10, List.of(guest("a", 0, 1, Quota.NO_LIMIT), idle)))
        .isEqualTo(Map.of("a", 10L, "b", 0L));
  }

  @Test
  void of_allSmallStates_equalsTheOracle() {
    List<Guest> kinds = new ArrayList<>();
    for (long minimum = 0; minimum <= 3; minimum++) {
      for (int weight = 1; weight <= 2; weight++) {
        for (long limit : new long[] {minimum, 4, Quota.NO_LIMIT}) {
          kinds.add(guest("", minimum, weight, limit));
        }
      }
    }
    kinds.add(new Guest("", quota(2, 1, Quota.NO_LIMIT), false));
    int checked = 0;
    for (Guest a : kinds) {
      for (Guest b : kinds) {
        for (Guest c : kinds) {
          List<Guest> guests = List.of(named("a", a), named("b", b), named("c", c));
          for (int card = 0; card <= 9; card++) {
            checked += checkOne(card, guests);
          }
        }
      }
    }
    assertThat(checked).isGreaterThan(50_000);
  }

  private static Guest named(String name, Guest kind) {
    return new Guest(name, kind.quota(), kind.usesGpu());
  }

  private static int checkOne(int card, List<Guest> guests) {
    long minimums = guests.stream().filter(Guest::usesGpu).mapToLong(Guest::minimumBytes).sum();
    if (minimums > card) {
      return 0;
    }
    List<Long> expected = oracle(card, guests);
    List<Long> shares = List.copyOf(shares(card, guests).values());
    if (!shares.equals(expected)) {
      throw new AssertionError(
          "card=" + card + " " + guests + " is " + shares + ", expected " + expected);
    }
    return 1;
  }

  /** Tries every level in steps of 1/60, from the top: no turning points, no division of shares. */
  private static List<Long> oracle(int card, List<Guest> guests) {
    for (long level = (long) FINE * card; ; level--) {
      List<Long> fine = new ArrayList<>();
      for (Guest guest : guests) {
        long most = FINE * Math.min(guest.limitBytes(), card);
        long risen =
            Math.min(most, Math.max(FINE * guest.minimumBytes(), guest.quota().weight() * level));
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
      List<Guest> guests = new ArrayList<>();
      long left = card;
      int count = random.nextInt(1, 12);
      SortedMap<String, Long> before = shares(card, guests);
      for (int i = 0; i < count; i++) {
        long minimum = random.nextBoolean() ? 0 : random.nextLong(left + 1);
        left -= minimum;
        long limit = random.nextBoolean() ? Quota.NO_LIMIT : random.nextLong(minimum, card + 1);
        guests.add(guest("g" + i, minimum, random.nextInt(1, 1025), limit));
        SortedMap<String, Long> shares = shares(card, guests);
        checkRules(card, guests, shares);
        before.forEach((name, was) -> assertThat(shares.get(name)).isLessThanOrEqualTo(was));
        before = shares;
      }
    }
  }

  private static void checkRules(long card, List<Guest> guests, SortedMap<String, Long> shares) {
    long sum = 0;
    long limits = 0;
    for (Guest guest : guests) {
      long limit = Math.min(card, guest.limitBytes());
      long share = shares.getOrDefault(guest.name(), -1L);
      assertThat(share).isBetween(guest.minimumBytes(), limit);
      sum += share;
      limits += limit;
    }
    // Nothing is wasted but what rounding takes: less than one byte of each guest.
    assertThat(sum).isBetween(Math.min(card, limits) - guests.size() + 1, card);
    assertThat(shares(card, guests.reversed())).isEqualTo(shares);
  }
}
