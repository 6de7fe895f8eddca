package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.quota.MovePlan.Move;
import io.sluice.quota.MovePlan.Reason;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class MovePlanTest {
  private static Buffer buffer(long id, long bytes, boolean mapped) {
    return new Buffer("a", id, bytes, mapped, false);
  }

  @Test
  void of_withinShare_movesNothing() {
    assertThat(MovePlan.of(100, Map.of("a", 30L), List.of(buffer(1, 30, true))))
        .isEqualTo(new MovePlan(List.of(), List.of()));
  }

  @Test
  void of_unmappedSuffices_sparesMapped() {
    Buffer unmapped = buffer(2, 40, false);
    List<Buffer> buffers = List.of(buffer(1, 10, true), unmapped);
    assertThat(MovePlan.of(100, Map.of("a", 45L), buffers).evictions())
        .containsExactly(new Move(unmapped, Reason.UNMAPPED));
  }

  @Test
  void of_severalCover_takesTheSmallest() {
    List<Buffer> buffers = List.of(buffer(1, 50, true), buffer(2, 20, true), buffer(3, 9, true));
    assertThat(MovePlan.of(100, Map.of("a", 60L), buffers).evictions())
        .containsExactly(new Move(buffers.get(1), Reason.COVERS_REST));
  }

  @Test
  void of_noneCovers_takesTheLargestThenTheRest() {
    List<Buffer> buffers = List.of(buffer(1, 50, true), buffer(2, 20, true), buffer(3, 9, true));
    assertThat(MovePlan.of(100, Map.of("a", 20L), buffers).evictions())
        .containsExactly(
            new Move(buffers.get(0), Reason.LARGEST), new Move(buffers.get(2), Reason.COVERS_REST));
  }

  @Test
  void of_earlyChoiceSuperfluous_keepsIt() {
    List<Buffer> buffers = List.of(buffer(1, 5, false), buffer(2, 40, true));
    assertThat(MovePlan.of(100, Map.of("a", 35L), buffers).evictions())
        .containsExactly(new Move(buffers.get(1), Reason.COVERS_REST));
  }

  @Test
  void of_noRoomOnTheCard_returnsNothing() {
    Buffer evicted = new Buffer("a", 1, 10, true, true);
    Buffer other = new Buffer("b", 1, 95, true, false);
    assertThat(MovePlan.of(100, Map.of("a", 50L, "b", 95L), List.of(evicted, other)).returns())
        .isEmpty();
  }

  @Test
  void of_guestWithoutShare_losesAll() {
    assertThat(MovePlan.of(100, Map.of(), List.of(buffer(1, 30, true), buffer(2, 1, true))))
        .extracting(plan -> plan.evictions().size())
        .isEqualTo(2);
  }

  @Test
  void of_randomBuffers_keepsSharesAndComesToRest(RandomGenerator random) {
    for (int round = 0; round < 20_000; round++) {
      List<Buffer> buffers = new ArrayList<>();
      long card = 0;
      Map<String, Long> shares = new TreeMap<>();
      for (String guest : List.of("a", "b", "c")) {
        long share = random.nextInt(60);
        shares.put(guest, share);
        card += share;
        for (int i = random.nextInt(7); i > 0; i--) {
          buffers.add(
              new Buffer(
                  guest, i, random.nextInt(1, 40), random.nextBoolean(), random.nextBoolean()));
        }
      }
      MovePlan plan = MovePlan.of(card, shares, buffers);
      List<Buffer> evicted = apply(buffers, plan.evictions());
      checkMinimal(shares, evicted, plan.evictions());
      List<Buffer> after = apply(evicted, plan.returns());
      shares.forEach((guest, share) -> assertThat(held(after, guest)).isLessThanOrEqualTo(share));
      assertThat(MovePlan.of(card, shares, after)).isEqualTo(new MovePlan(List.of(), List.of()));
    }
  }

  /** Any one that moved would be too much again. */
  private static void checkMinimal(
      Map<String, Long> shares, List<Buffer> after, List<Move> evictions) {
    for (Move move : evictions) {
      String guest = move.buffer().guest();
      assertThat(held(after, guest) + move.buffer().bytes())
          .isGreaterThan(shares.getOrDefault(guest, 0L));
    }
  }

  private static List<Buffer> apply(List<Buffer> buffers, List<Move> moves) {
    List<Buffer> after = new ArrayList<>(buffers);
    for (Move move : moves) {
      Buffer was = move.buffer();
      assertThat(after.remove(was)).isTrue();
      after.add(new Buffer(was.guest(), was.id(), was.bytes(), was.mapped(), !was.evicted()));
    }
    return after;
  }

  private static long held(List<Buffer> buffers, String guest) {
    return buffers.stream()
        .filter(each -> each.guest().equals(guest) && !each.evicted())
        .mapToLong(Buffer::bytes)
        .sum();
  }
}
