package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.FIRST;
import static io.sluice.gpu.sm.OneInstruction.word;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Control instructions, by what each lane must have gone through: little programs that leave a mark
 * in R12 wherever they come.
 */
@ExtendWith(Seeds.class)
final class ControlOracleTest {
  private static final long TESTED = 0x1e0;

  /** A guard: a predicate, perhaps negated. */
  private record Guard(int p, boolean negated) {
    long bits() {
      return (long) p << 10 | (negated ? 1L << 13 : 0);
    }

    boolean holds(Operands in) {
      return in.predicate(p) != negated;
    }

    static Guard random(RandomGenerator random) {
      return new Guard(random.nextInt(8), random.nextBoolean());
    }
  }

  /** MOV32I R12. */
  private static long mark(int value) {
    return 0x1800000000000002L | TESTED | ALWAYS | 12L << 14 | (long) value << 26;
  }

  /** IADD R12, R12, n. */
  private static long add(int n) {
    return 0x4800000000000003L | ALWAYS | 12L << 14 | 12L << 20 | (long) n << 26 | 3L << 46;
  }

  /** A control instruction that goes so many instructions beyond the next one. */
  private static long relative(long opcode, int skipped) {
    return opcode | (8L * skipped & 0xffffff) << 26;
  }

  /** One that names an address: that of an instruction of those tried. */
  private static long absolute(long opcode, int instruction) {
    return opcode | 8L * (FIRST + instruction) << 26;
  }

  @Test
  @Covers({Opcode.BRA, Opcode.SSY})
  void bra_guardedAndTested_skipsForThoseLanes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 32; round++) {
      Guard guard = Guard.random(random);
      int test = random.nextInt(0x18);
      boolean meet = random.nextBoolean();
      long bra = 0x4000000000000007L | guard.bits() | (long) test << 5;
      long join = meet ? 1L << 4 : 0;
      one.check(
          "BRA",
          new long[] {
            mark(0),
            relative(0x6000000000000007L, 4), // SSY: where they meet
            relative(bra, 2),
            add(1),
            meet ? 0x4000000000001de4L | join : add(0),
            meet ? 0x4000000000001de4L | join : add(0),
            add(2)
          },
          in -> {
            boolean taken = guard.holds(in) && PredicateOracleTest.passes(test, in);
            return word(in, taken ? 2 : 3);
          });
    }
  }

  /** With .U it is taken by all or nobody. */
  @Test
  @Covers(Opcode.BRA)
  void braUnanimous_lanesThatDiffer_goesOn(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 16; round++) {
      Guard guard = round < 8 ? new Guard(7, round % 2 == 0) : Guard.random(random);
      long bra = 0x4000000000000007L | TESTED | guard.bits() | 1L << 15;
      one.checkWarp(
          "BRA.U",
          new long[] {mark(1), relative(bra, 1), mark(2)},
          all -> all(all, in -> all.stream().allMatch(guard::holds) ? 1 : 2));
    }
  }

  private static List<@Nullable Result> all(List<Operands> all, ToIntFunction<Operands> value) {
    List<@Nullable Result> results = new ArrayList<>();
    all.forEach(in -> results.add(word(in, value.applyAsInt(in))));
    return results;
  }

  @Test
  @Covers(Opcode.JMP)
  void jmp_guarded_goesToTheAddress(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 8; round++) {
      Guard guard = Guard.random(random);
      long jmp = 0x0000000000000007L | TESTED | guard.bits();
      one.check(
          "JMP",
          new long[] {mark(1), absolute(jmp, 3), mark(2)},
          in -> word(in, guard.holds(in) ? 1 : 2));
    }
  }

  /** R14 = 8 * (lane & 3): each of four lanes goes to an instruction of its own. */
  @Test
  @Covers({Opcode.BRX, Opcode.JMX})
  void indexed_fourTargets_eachLaneGoesToItsOwn(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long lane = 0x2c00000000000004L | ALWAYS | 14L << 14;
    long and = 0x6800000000000003L | ALWAYS | 14L << 14 | 14L << 20 | 3L << 26 | 3L << 46;
    long shift = 0x6000000000000003L | ALWAYS | 14L << 14 | 14L << 20 | 3L << 26 | 3L << 46;
    long brx = 0x4800000000000007L | TESTED | ALWAYS | 14L << 20;
    long jmx = 0x0800000000000007L | TESTED | ALWAYS | 14L << 20;
    for (long jump : new long[] {brx, absolute(jmx, 5)}) {
      one.checkWarp(
          "BRX, JMX",
          new long[] {lane, and, shift, mark(0), jump, add(1), add(1), add(1), add(1)},
          all -> {
            List<@Nullable Result> results = new ArrayList<>();
            for (int n = 0; n < all.size(); n++) {
              results.add(word(all.get(n), 4 - n % 4));
            }
            return results;
          });
    }
  }

  /** A function after the end of the program that adds 4, and comes back. */
  @Test
  @Covers({Opcode.CAL, Opcode.JCAL, Opcode.RET})
  void calls_relativeAndAbsolute_comeBack(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long ret = 0x9000000000000007L | TESTED;
    for (int round = 0; round < 8; round++) {
      Guard guard = Guard.random(random);
      long cal = relative(0x5000000000000007L | ALWAYS, 2);
      long jcal = absolute(0x1000000000000007L | ALWAYS, 4);
      for (long call : new long[] {cal, jcal}) {
        one.check(
            "CAL",
            new long[] {
              mark(1),
              call,
              add(2),
              relative(0x4000000000000007L | TESTED | ALWAYS, 4), // over the function
              add(4),
              ret | guard.bits(),
              add(8),
              ret | ALWAYS
            },
            in -> word(in, 1 + 2 + 4 + (guard.holds(in) ? 0 : 8)));
      }
    }
  }

  @Test
  @Covers({Opcode.PRET, Opcode.RET})
  void pret_anywhere_isWhereRetGoes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 8; round++) {
      Guard guard = Guard.random(random);
      one.check(
          "PRET",
          new long[] {
            mark(1),
            relative(0x7800000000000007L, 4),
            0x9000000000000007L | TESTED | guard.bits(),
            add(2),
            0x9000000000000007L | TESTED | ALWAYS,
            add(64),
            add(4)
          },
          in -> word(in, 1 + 4 + (guard.holds(in) ? 0 : 2)));
    }
  }

  /** AND of a register with an immediate. */
  private static long and(int register, int value) {
    long registers = (long) register << 14 | (long) register << 20;
    return 0x6800000000000003L | ALWAYS | registers | (long) value << 26 | 3L << 46;
  }

  /** ISETP.U32 P0 of R and R4: 1 less, 6 greater or equal. */
  private static long compare(int condition, int register) {
    return 0x180e000000000003L
        | ALWAYS
        | (long) condition << 55
        | 7L << 14
        | (long) register << 20
        | 4L << 26;
  }

  /** Lanes leave a loop after different numbers of rounds: R4 mod 8. */
  @Test
  @Covers({Opcode.PBK, Opcode.BRK})
  void brk_lanesThatLeaveALoop_meetBehindIt(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    one.check(
        "PBK, BRK",
        new long[] {
          and(4, 7),
          mark(0),
          relative(0x6800000000000007L, 4),
          compare(6, 12),
          0xa800000000000007L | TESTED, // @P0
          add(1),
          relative(0x4000000000000007L | TESTED | ALWAYS, -4),
          add(16)
        },
        in -> new Result((in.a() & 7) + 16, BEFORE, in.flags() | 1));
  }

  /** Of each round some lanes leave out a part; R14 counts rounds. */
  @Test
  @Covers({Opcode.PCNT, Opcode.CONT})
  void cont_someLanes_leaveOutTheRestOfARound(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 8; round++) {
      Guard guard = new Guard(1 + random.nextInt(7), random.nextBoolean());
      one.check(
          "PCNT, CONT",
          new long[] {
            and(4, 7),
            mark(0),
            and(14, 0),
            relative(0x7000000000000007L, 3),
            0xb000000000000007L | TESTED | guard.bits(),
            add(1),
            0xb000000000000007L | TESTED | ALWAYS,
            0x4800000000000003L | ALWAYS | 14L << 14 | 14L << 20 | 1L << 26 | 3L << 46,
            compare(1, 14),
            relative(0x4000000000000007L | TESTED, -7) // @P0
          },
          in -> {
            int rounds = Math.max(1, in.a() & 7);
            return new Result(guard.holds(in) ? 0 : rounds, BEFORE, in.flags() & ~1);
          });
    }
  }

  @Test
  @Covers(Opcode.BPT)
  void bpt_anywhere_isAWarpError(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long pc = 8L * (FIRST + 1);

    assertThat(one.outcomes(mark(0), 0xd000000000000007L | ALWAYS))
        .containsOnly(new GridOutcome.Faulted(WarpError.INVALID_OPCODE, (int) pc, pc));
  }

  @Test
  @Covers({Opcode.EXIT, Opcode.KIL})
  void exits_guardedAndTested_endThoseLanes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 24; round++) {
      Guard guard = Guard.random(random);
      int test = random.nextInt(0x18);
      long opcode = round % 2 == 0 ? 0x8000000000000007L : 0x9800000000000007L;
      Predicate<Operands> ends = in -> guard.holds(in) && PredicateOracleTest.passes(test, in);
      one.checkWarp(
          "EXIT, KIL",
          new long[] {mark(1), opcode | guard.bits() | (long) test << 5, add(1)},
          all -> {
            List<@Nullable Result> results = new ArrayList<>();
            all.forEach(in -> results.add(ends.test(in) ? null : word(in, 2)));
            return results;
          });
    }
  }
}
