package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Votes and barriers: what lanes learn of each other, counted lane by lane. */
@ExtendWith(Seeds.class)
final class WarpOracleTest {
  private static final long ANY_GUARD = 7L << 10;

  private static boolean holds(Operands in, int p, boolean negated) {
    return in.predicate(p) != negated;
  }

  @Test
  @Covers(Opcode.VOTE)
  void vote_allModes_countsThoseThatExecuteIt(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 48; m++) {
      int mode = m % 3;
      // Often one that holds for all, or for none.
      int p = random.nextInt(3) == 0 ? random.nextInt(7) : 7;
      boolean negated = random.nextBoolean();
      int guard = random.nextInt(8);
      int target = random.nextInt(7);
      long word =
          0x4800000000000004L
              | (long) guard << 10
              | 12L << 14
              | (long) p << 20
              | (negated ? 1L << 23 : 0)
              | (long) mode << 5
              | (long) target << 54;
      one.checkWarp("VOTE", new long[] {word}, all -> voted(all, mode, guard, p, negated, target));
    }
  }

  private static List<@Nullable Result> voted(
      List<Operands> all, int mode, int guard, int p, boolean negated, int target) {
    int voters = 0;
    int yes = 0;
    int ballot = 0;
    for (int lane = 0; lane < all.size(); lane++) {
      if (all.get(lane).predicate(guard)) {
        voters++;
        yes += holds(all.get(lane), p, negated) ? 1 : 0;
        ballot += holds(all.get(lane), p, negated) ? 1 << lane : 0;
      }
    }
    boolean result = mode == 0 ? yes == voters : mode == 1 ? yes > 0 : yes == 0 || yes == voters;
    List<@Nullable Result> results = new ArrayList<>();
    for (Operands in : all) {
      Result untouched = word(in, BEFORE);
      Result voted = new Result(ballot, BEFORE, flagged(in, target, result));
      results.add(in.predicate(guard) ? voted : untouched);
    }
    return results;
  }

  private static int flagged(Operands in, int target, boolean value) {
    return in.flags() & ~(1 << target) | (value ? 1 << target : 0);
  }

  /** One warp: it waits for nobody else. */
  @Test
  @Covers(Opcode.BAR)
  void bar_reductions_tellEveryLane(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    int[] operations = {0, 1, 2};
    for (int round = 0; round < 24; round++) {
      int operation = operations[round % operations.length];
      int p = random.nextInt(3) == 0 ? random.nextInt(7) : 7;
      boolean negated = random.nextBoolean();
      int target = random.nextInt(7);
      int barrier = random.nextInt(16);
      long word =
          0x5000000000000004L
              | ANY_GUARD
              | 12L << 14
              | (long) barrier << 20
              | 1L << 47
              | 32L << 26
              | 1L << 46
              | (long) operation << 5
              | (long) p << 49
              | (negated ? 1L << 52 : 0)
              | (long) target << 53;
      one.checkWarp("BAR", new long[] {word}, all -> reduced(all, operation, p, negated, target));
    }
  }

  private static List<@Nullable Result> reduced(
      List<Operands> all, int operation, int p, boolean negated, int target) {
    int yes = 0;
    for (Operands in : all) {
      yes += holds(in, p, negated) ? 1 : 0;
    }
    boolean and = yes == all.size();
    boolean or = yes > 0;
    int value = operation == 0 ? yes : (operation == 1 ? and : or) ? -1 : 0;
    List<@Nullable Result> results = new ArrayList<>();
    for (Operands in : all) {
      results.add(new Result(value, BEFORE, flagged(in, target, value != 0)));
    }
    return results;
  }

  /** It tells nobody that it has arrived, and goes on. */
  @Test
  @Covers(Opcode.BAR)
  void barArrive_changesNothing(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long word =
        0x50e0000000000084L | ALWAYS | 63L << 14 | 3L << 20 | 1L << 47 | 64L << 26 | 1L << 46;
    one.check("BAR.ARRIVE", word | 7L << 49, in -> word(in, BEFORE));
  }
}
