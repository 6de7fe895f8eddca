package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Moves, what lanes know of themselves, and what does nothing. */
@ExtendWith(Seeds.class)
final class MoveOracleTest {
  /** What a move leaves that happens in some lanes of each four. */
  static List<@Nullable Result> inLanes(
      List<Operands> all, int field, ToIntFunction<Operands> value) {
    List<@Nullable Result> results = new ArrayList<>();
    for (int lane = 0; lane < all.size(); lane++) {
      boolean moves = (field >> lane % 4 & 1) != 0;
      results.add(word(all.get(lane), moves ? value.applyAsInt(all.get(lane)) : BEFORE));
    }
    return results;
  }

  @Test
  @Covers(Opcode.MOV)
  void mov_laneFields_movesInThoseLanes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int lanes = 0; lanes < 16; lanes++) {
      int field = lanes;
      one.checkWarp(
          "MOV",
          new long[] {0x2800000000000004L | REGISTERS & ~(63L << 20) | (long) lanes << 5},
          all -> inLanes(all, field, Operands::b));
    }
    for (int round = 0; round < 8; round++) {
      one.check("MOV", 0x28000000000001e4L | REGISTERS & ~(63L << 20), in -> word(in, in.b()));
    }
  }

  /** A grid of one block of 32 threads in a row, with 1024 bytes of shared memory. */
  @Test
  @Covers(Opcode.S2R)
  void s2r_allRegisters_tellWhatTheLaunchSays(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int register = 0; register < 0x50; register++) {
      int r = register;
      one.checkWarp(
          "S2R",
          new long[] {0x2c00000000000004L | ALWAYS | 12L << 14 | (long) register << 26},
          all -> {
            List<@Nullable Result> results = new ArrayList<>();
            for (int lane = 0; lane < all.size(); lane++) {
              results.add(word(all.get(lane), special(r, lane)));
            }
            return results;
          });
    }
  }

  private static int special(int register, int lane) {
    long bit = 1L << lane;
    return switch (register) {
      case 0x00, 0x20, 0x21 -> lane;
      case 0x02 -> 1 << 8; // warps of the block
      case 0x24 -> 0x1000; // the launch's argument
      case 0x28 -> 32 | 1 << 16 | 1 << 26;
      case 0x29 -> 32;
      case 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f -> 1;
      case 0x30, 0x31, 0x35 -> 0x01000000;
      case 0x32 -> 1024;
      case 0x34 -> 0x02000000;
      case 0x36 -> 32;
      case 0x37 -> 0x01000000;
      case 0x38 -> (int) bit;
      case 0x39 -> (int) (bit - 1);
      case 0x3a -> (int) (2 * bit - 1);
      case 0x3b -> (int) (0xffff_ffffL - (2 * bit - 1));
      case 0x3c -> (int) (0xffff_ffffL - (bit - 1));
      default -> 0;
    };
  }

  /** The program counter of a lane that executes it is that of the next instruction. */
  @Test
  @Covers(Opcode.LEPC)
  void lepc_anywhere_isTheNextInstruction(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    int next = (OneInstruction.FIRST + 1) * 8;
    one.check("LEPC", 0x4400000000000004L | ALWAYS | 12L << 14, in -> word(in, next));
  }

  @Test
  @Covers({Opcode.NOP, Opcode.MEMBAR, Opcode.CCTL, Opcode.CCTLL})
  void cachesAndBarriersOfMemory_leaveEverything(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long[] words = {
      0x4000000000001de4L,
      0xe000000000001c05L, // MEMBAR.CTA
      0xe000000000001c25L, // MEMBAR.GL
      0xe000000000001c45L, // MEMBAR.SYS
      0x9800000000000005L | ALWAYS | 2L << 20 | 1L << 58, // CCTL.E [R2]
      0xd000000000000005L | ALWAYS | 4L << 20 // CCTLL [R4]
    };
    for (long word : words) {
      one.check("nothing", word, in -> new Result(BEFORE, BEFORE, in.flags()));
    }
  }
}
