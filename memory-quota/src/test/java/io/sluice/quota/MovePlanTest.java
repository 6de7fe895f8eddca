package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.quota.MovePlan.Move;
import io.sluice.quota.MovePlan.MoveReason;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class MovePlanTest {
  private static MovePlan plan(
      long card, Map<String, Long> shares, Collection<MovableBuffer> buffers) {
    return MovePlan.of(card, shares, shares, buffers);
  }

  private static MovableBuffer buffer(long id, long bytes, boolean mapped) {
    return new MovableBuffer("a", id, bytes, mapped, false);
  }

  @Test
  void of_withinShare_movesNothing() {
    assertThat(plan(100, Map.of("a", 30L), List.of(buffer(1, 30, true))))
        .isEqualTo(new MovePlan(List.of(), List.of()));
  }

  @Test
  void of_unmappedSuffices_sparesMapped() {
    MovableBuffer unmapped = buffer(2, 40, false);
    List<MovableBuffer> buffers = List.of(buffer(1, 10, true), unmapped);
    assertThat(plan(100, Map.of("a", 45L), buffers).evictions())
        .containsExactly(new Move(unmapped, MoveReason.UNMAPPED));
  }

  @Test
  void of_severalCover_takesTheSmallest() {
    List<MovableBuffer> buffers =
        List.of(buffer(1, 50, true), buffer(2, 20, true), buffer(3, 9, true));
    assertThat(plan(100, Map.of("a", 60L), buffers).evictions())
        .containsExactly(new Move(buffers.get(1), MoveReason.COVERS_REST));
  }

  @Test
  void of_noneCovers_takesTheLargestThenTheRest() {
    List<MovableBuffer> buffers =
        List.of(buffer(1, 50, true), buffer(2, 20, true), buffer(3, 9, true));
    assertThat(plan(100, Map.of("a", 20L), buffers).evictions())
        .containsExactly(
            new Move(buffers.get(0), MoveReason.LARGEST),
            new Move(buffers.get(2), MoveReason.COVERS_REST));
  }

  @Test
  void of_earlyChoiceSuperfluous_keepsIt() {
    List<MovableBuffer> buffers = List.of(buffer(1, 5, false), buffer(2, 40, true));
    assertThat(plan(100, Map.of("a", 35L), buffers).evictions())
        .containsExactly(new Move(buffers.get(1), MoveReason.COVERS_REST));
  }

  @Test
  void of_noRoomOnTheCard_returnsNothing() {
    MovableBuffer evicted = new MovableBuffer("a", 1, 10, true, true);
    MovableBuffer other = new MovableBuffer("b", 1, 95, true, false);
    assertThat(plan(100, Map.of("a", 50L, "b", 95L), List.of(evicted, other)).returns()).isEmpty();
  }

  @Test
  void of_shareThatMayNotLast_evictsByItAndReturnsByTheOther() {
    MovableBuffer away = new MovableBuffer("a", 1, 10, true, true);
    MovableBuffer small = new MovableBuffer("a", 2, 5, true, true);
    List<MovableBuffer> buffers = List.of(away, small, buffer(3, 40, true));
    Map<String, Long> shares = Map.of("a", 80L);
    assertThat(MovePlan.of(100, shares, Map.of("a", 45L), buffers))
        .isEqualTo(new MovePlan(List.of(), List.of(new Move(small, MoveReason.ROOM))));
    assertThat(MovePlan.of(100, shares, Map.of("a", 20L), buffers))
        .isEqualTo(new MovePlan(List.of(), List.of()));
  }

  @Test
  void of_guestWithoutShare_losesAll() {
    assertThat(plan(100, Map.of(), List.of(buffer(1, 30, true), buffer(2, 1, true))))
        .extracting(plan -> plan.evictions().size())
        .isEqualTo(2);
  }

  @Test
  void of_randomBuffers_keepsSharesAndComesToRest(RandomGenerator random) {
    for (int round = 0; round < 20_000; round++) {
      List<MovableBuffer> buffers = new ArrayList<>();
      long card = 0;
      Map<String, Long> shares = new TreeMap<>();
      for (String guest : List.of("a", "b", "c")) {
        long share = random.nextInt(60);
        shares.put(guest, share);
        card += share;
        for (int i = random.nextInt(7); i > 0; i--) {
          buffers.add(
              new MovableBuffer(
                  guest, i, random.nextInt(1, 40), random.nextBoolean(), random.nextBoolean()));
        }
      }
      MovePlan plan = plan(card, shares, buffers);
      List<MovableBuffer> evicted = apply(buffers, plan.evictions());
      checkMinimal(shares, evicted, plan.evictions());
      List<MovableBuffer> after = apply(evicted, plan.returns());
      shares.forEach((guest, share) -> assertThat(held(after, guest)).isLessThanOrEqualTo(share));
      assertThat(plan(card, shares, after)).isEqualTo(new MovePlan(List.of(), List.of()));
    }
  }

  /**
   * Every state of up to three buffers of one guest and one of another: the rules of the plan, told
   * as what must hold afterwards rather than as steps.
   */
  @Test
  void of_allSmallStates_keepsTheRules() {
    List<MovableBuffer> kinds = new ArrayList<>();
    for (int kind = 0; kind < 12; kind++) {
      kinds.add(new MovableBuffer("", 0, kind % 3 + 1, kind / 3 % 2 == 0, kind / 6 == 0));
    }
    int checked = 0;
    for (int a = -1; a < 12; a++) {
      for (int b = a; b < 12; b++) {
        for (int c = b; c < 12; c++) {
          for (int other = -1; other < 12; other++) {
            List<MovableBuffer> buffers = new ArrayList<>();
            add(buffers, "a", 3, kinds, a);
            add(buffers, "a", 1, kinds, b);
            add(buffers, "a", 2, kinds, c);
            add(buffers, "b", 1, kinds, other);
            checked += checkShares(buffers);
          }
        }
      }
    }
    assertThat(checked).isGreaterThan(200_000);
  }

  private static void add(
      List<MovableBuffer> buffers, String guest, long id, List<MovableBuffer> kinds, int kind) {
    if (kind >= 0) {
      MovableBuffer like = kinds.get(kind);
      buffers.add(new MovableBuffer(guest, id, like.bytes(), like.mapped(), like.evicted()));
    }
  }

  private static int checkShares(List<MovableBuffer> buffers) {
    int checked = 0;
    long resident = held(buffers, "a") + held(buffers, "b");
    for (long shareA = 0; shareA <= 7; shareA++) {
      for (long shareB = 0; shareB <= 3; shareB++) {
        for (long card : new long[] {Math.max(resident, shareA + shareB), 12}) {
          checkPlan(card, Map.of("a", shareA, "b", shareB), buffers);
          checked++;
        }
      }
    }
    return checked;
  }

  private static void checkPlan(long card, Map<String, Long> shares, List<MovableBuffer> buffers) {
    MovePlan plan = plan(card, shares, buffers);
    List<MovableBuffer> evicted = apply(buffers, plan.evictions());
    List<MovableBuffer> after = apply(evicted, plan.returns());
    long free = card - held(after, "a") - held(after, "b");
    boolean right = free >= 0;
    for (String guest : List.of("a", "b")) {
      long share = shares.getOrDefault(guest, 0L);
      right &= held(after, guest) <= share;
      for (Move move : plan.evictions()) {
        if (move.buffer().guest().equals(guest)) {
          // None is superfluous, and no program notices when that can be.
          right &= held(evicted, guest) + move.buffer().bytes() > share;
          right &= !move.buffer().mapped() || held(mapped(buffers), guest) > share;
        }
      }
      for (MovableBuffer away : after) {
        if (away.evicted() && away.guest().equals(guest)) {
          right &= away.bytes() > free || away.bytes() > share - held(after, guest);
        }
      }
    }
    right &= plan(card, shares, after).equals(new MovePlan(List.of(), List.of()));
    if (!right) {
      throw new AssertionError("card=" + card + " " + shares + " " + buffers + " gives " + plan);
    }
  }

  private static List<MovableBuffer> mapped(List<MovableBuffer> buffers) {
    return buffers.stream().filter(MovableBuffer::mapped).toList();
  }

  /** Any one that moved would be too much again. */
  private static void checkMinimal(
      Map<String, Long> shares, List<MovableBuffer> after, List<Move> evictions) {
    for (Move move : evictions) {
      String guest = move.buffer().guest();
      assertThat(held(after, guest) + move.buffer().bytes())
          .isGreaterThan(shares.getOrDefault(guest, 0L));
    }
  }

  private static List<MovableBuffer> apply(List<MovableBuffer> buffers, List<Move> moves) {
    List<MovableBuffer> after = new ArrayList<>(buffers);
    for (Move move : moves) {
      MovableBuffer was = move.buffer();
      assertThat(after.remove(was)).isTrue();
      after.add(
          new MovableBuffer(was.guest(), was.id(), was.bytes(), was.mapped(), !was.evicted()));
    }
    return after;
  }

  private static long held(List<MovableBuffer> buffers, String guest) {
    return buffers.stream()
        .filter(each -> each.guest().equals(guest) && !each.evicted())
        .mapToLong(MovableBuffer::bytes)
        .sum();
  }
}
