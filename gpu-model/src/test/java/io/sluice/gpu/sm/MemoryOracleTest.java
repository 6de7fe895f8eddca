package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.pair;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads, stores and atomics against a byte buffer. R3:R2 is the address of the lane's operands. */
@ExtendWith(Seeds.class)
final class MemoryOracleTest {
  private static final long WIDE_ADDRESS = 1L << 58;
  private static final long BASE = 2L << 20;
  private static final long TARGET = 12L << 14;
  private static final long RELOAD = 0x8000000000000085L | ALWAYS | WIDE_ADDRESS | BASE | 13L << 14;

  private static ByteBuffer bytes(Operands in) {
    ByteBuffer bytes = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(in.a()).putInt(in.aHigh()).putInt(in.b()).putInt(in.bHigh());
    return bytes.putInt(in.c()).putInt(in.cHigh()).putInt(in.flags()).putInt(0);
  }

  private static Result loaded(Operands in, int size, int at) {
    ByteBuffer bytes = bytes(in);
    return switch (size) {
      case 0 -> word(in, bytes.get(at) & 0xff);
      case 1 -> word(in, bytes.get(at));
      case 2 -> word(in, bytes.getShort(at) & 0xffff);
      case 3 -> word(in, bytes.getShort(at));
      case 4 -> word(in, bytes.getInt(at));
      default -> pair(in, bytes.getLong(at));
    };
  }

  private static int log2Bytes(int size) {
    return size < 2 ? 0 : size < 4 ? 1 : size - 2;
  }

  @Test
  @Covers({Opcode.LD})
  void ld_allSizes_extends(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int size = 0; size < 7; size++) {
      int s = size;
      for (int at = 0; at < 16; at += 1 << log2Bytes(size)) {
        int offset = at;
        one.check(
            "LD",
            0x8000000000000005L
                | ALWAYS
                | WIDE_ADDRESS
                | BASE
                | TARGET
                | (long) size << 5
                | (long) at << 26,
            in -> loaded(in, s, offset));
      }
    }
  }

  /** Stores R4 to a part of the lane's memory, and loads the word it is in. */
  @Test
  @Covers({Opcode.ST})
  void st_allSizes_changesItsBytes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int size = 0; size < 6; size++) {
      int bytes = 1 << log2Bytes(size);
      for (int at = 0; at < 4; at += bytes) {
        int offset = at;
        long store =
            0x9000000000000005L
                | ALWAYS
                | WIDE_ADDRESS
                | BASE
                | 4L << 14
                | (long) size << 5
                | (long) at + 8 << 26;
        long load = 0x80000000000000a5L | ALWAYS | WIDE_ADDRESS | BASE | TARGET | 8L << 26;
        one.check(
            "ST",
            new long[] {store, load},
            in -> {
              ByteBuffer memory = bytes(in);
              ByteBuffer value = bytes(in);
              for (int n = 0; n < bytes; n++) {
                memory.put(8 + offset + n, value.get(n));
              }
              return pair(in, memory.getLong(8));
            });
      }
    }
  }

  /** Stores to shared or local memory and loads a part of it. */
  private static void roundTrip(
      OneInstruction one, String name, long store, long load, long[] address) {
    for (int size = 0; size < 6; size++) {
      int s = size;
      for (int at = 0; at < 8; at += 1 << log2Bytes(size)) {
        int offset = at;
        long base = 14L << 20;
        long stored = store | ALWAYS | base | 4L << 14 | 5L << 5;
        long loaded = load | ALWAYS | base | TARGET | (long) size << 5 | (long) at << 26;
        long[] words = {address[0], address[1], stored, loaded};
        one.check(name, words, in -> loaded(in, s, offset));
      }
    }
  }

  @Test
  @Covers({Opcode.STS, Opcode.LDS, Opcode.STL, Opcode.LDL})
  void sharedAndLocal_allSizes_holdWhatWasStored(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    // R14 = lane * 32: a place of its own in shared memory; local memory is a lane's own anyway.
    long[] places = {0x2c00000000000004L | ALWAYS | 14L << 14, shift(14, 5)};
    long[] zero = {0x1800000000000002L | 0x1e0L | ALWAYS | 14L << 14, shift(14, 0)};
    roundTrip(one, "STS, LDS", 0xc900000000000005L, 0xc100000000000005L, places);
    roundTrip(one, "STL, LDL", 0xc800000000000005L, 0xc000000000000005L, zero);
  }

  /** The same memory through the windows of generic addresses. */
  @Test
  void windows_ofGenericAddresses_leadToSharedAndLocal(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long shared = 0x01000000L << 26;
    long local = 0x02000000L << 26;
    long[] places = {0x2c00000000000004L | ALWAYS | 14L << 14, shift(14, 5)};
    long[] zero = {0x1800000000000002L | 0x1e0L | ALWAYS | 14L << 14, shift(14, 0)};
    roundTrip(one, "ST, LDS", 0x9000000000000005L | shared, 0xc100000000000005L, places);
    roundTrip(one, "STS, LD", 0xc900000000000005L, 0x8000000000000005L | shared, places);
    roundTrip(one, "ST, LDL", 0x9000000000000005L | local, 0xc000000000000005L, zero);
    roundTrip(one, "STL, LD", 0xc800000000000005L, 0x8000000000000005L | local, zero);
  }

  private static long shift(int register, int count) {
    long operands = (long) register << 14 | (long) register << 20;
    return 0x6000000000000003L | ALWAYS | operands | (long) count << 26 | 3L << 46;
  }

  private static int reduced(int operation, boolean signed, int old, int operand) {
    boolean less = signed ? old < operand : Integer.compareUnsigned(old, operand) < 0;
    return switch (operation) {
      case 0 -> old + operand;
      case 1 -> less ? old : operand;
      case 2 -> less ? operand : old;
      case 3 -> Integer.compareUnsigned(old, operand) >= 0 ? 0 : old + 1;
      case 4 -> old == 0 || Integer.compareUnsigned(old, operand) > 0 ? operand : old - 1;
      case 5 -> old & operand;
      case 6 -> old | operand;
      default -> old ^ operand;
    };
  }

  @Test
  @Covers({Opcode.ATOM, Opcode.RED, Opcode.ATOM_S32, Opcode.ATOM_EXCH, Opcode.ATOM_CAS})
  void atomics_allOperations_returnWhatWasThere(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long common = ALWAYS | WIDE_ADDRESS | BASE | 6L << 14;
    for (int operation = 0; operation < 8; operation++) {
      int op = operation;
      one.check(
          "ATOM",
          new long[] {0x507e000000000005L | common | 12L << 43 | (long) op << 5, RELOAD},
          in -> new Result(in.a(), reduced(op, false, in.a(), in.b()), in.flags()));
      one.check(
          "RED",
          new long[] {0x1000000000000005L | common | (long) op << 5, RELOAD},
          in -> new Result(BEFORE, reduced(op, false, in.a(), in.b()), in.flags()));
    }
    for (int operation = 1; operation < 3; operation++) {
      int op = operation;
      one.check(
          "ATOM.S32",
          new long[] {0x587e000000000205L | common | 12L << 43 | (long) op << 5, RELOAD},
          in -> new Result(in.a(), reduced(op, true, in.a(), in.b()), in.flags()));
    }
    one.check(
        "ATOM.EXCH",
        new long[] {0x507e000000000105L | common | 12L << 43, RELOAD},
        in -> new Result(in.a(), in.b(), in.flags()));
    one.check(
        "ATOM.CAS that fails or not",
        new long[] {0x5000000000000125L | common | 12L << 43 | 8L << 49, RELOAD},
        in -> new Result(in.a(), in.a() == in.b() ? in.c() : in.a(), in.flags()));
    one.check(
        "ATOM.CAS that succeeds",
        new long[] {
          0x5000000000000125L | common & ~(63L << 14) | 4L << 14 | 12L << 43 | 8L << 49, RELOAD
        },
        in -> new Result(in.a(), in.c(), in.flags()));
  }

  /** Reductions and atomics that are left: of signed words, floats, and eight bytes. */
  @Test
  @Covers({Opcode.RED_S32, Opcode.RED_F32, Opcode.ATOM_F32})
  void reductions_ofSignedAndFloats_reduce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long common = ALWAYS | WIDE_ADDRESS | BASE | 6L << 14;
    for (int operation = 1; operation < 3; operation++) {
      int op = operation;
      one.check(
          "RED.S32",
          new long[] {0x1800000000000205L | common | (long) op << 5, RELOAD},
          in -> new Result(BEFORE, reduced(op, true, in.a(), in.b()), in.flags()));
    }
    for (int round = 0; round < 8; round++) {
      one.check(
          "RED.F32",
          new long[] {0x2800000000000205L | common, RELOAD},
          in -> new Result(BEFORE, flushedSum(in), in.flags()));
      one.check(
          "ATOM.F32",
          new long[] {0x687e000000000205L | common | 12L << 43, RELOAD},
          in -> new Result(in.a(), flushedSum(in), in.flags()));
    }
  }

  private static int flushedSum(Operands in) {
    float a = flushed(Float.intBitsToFloat(in.a()));
    float b = flushed(Float.intBitsToFloat(in.b()));
    float sum = (float) FloatOracleTest.fused(a, 1, b, Dyadic.NEAREST, false);
    return FloatOracleTest.bits(sum, true, false);
  }

  private static float flushed(float value) {
    return Math.abs(value) < 0x1p-126f ? Math.copySign(0f, value) : value;
  }

  /** The second word of the lane's memory is loaded to R13, where what was there has its own. */
  @Test
  @Covers({Opcode.RED, Opcode.ATOM, Opcode.ATOM_EXCH, Opcode.ATOM_CAS})
  void atomics_ofEightBytes_areDoneAtOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long common = ALWAYS | WIDE_ADDRESS | BASE | 6L << 14 | 1L << 9;
    long reload = 0x80000000000000a5L | ALWAYS | WIDE_ADDRESS | BASE | TARGET;
    one.check(
        "RED.64",
        new long[] {0x1000000000000005L | common, reload},
        in -> pair(in, in.wideA() + in.wideB()));
    // R15:R14 is what was there.
    one.check(
        "ATOM.64",
        new long[] {0x507e000000000005L | common | 12L << 43},
        in -> pair(in, in.wideA()));
    one.check(
        "ATOM.64, memory",
        new long[] {0x507e000000000005L | common | 14L << 43, reload},
        in -> pair(in, in.wideA() + in.wideB()));
    one.check(
        "ATOM.EXCH.64",
        new long[] {0x507e000000000105L | common | 12L << 43},
        in -> pair(in, in.wideA()));
    one.check(
        "ATOM.EXCH.64, memory",
        new long[] {0x507e000000000105L | common | 14L << 43, reload},
        in -> pair(in, in.wideB()));
    long cas = 0x5000000000000125L | common & ~(63L << 14) | 8L << 49;
    one.check(
        "ATOM.CAS.64 that succeeds",
        new long[] {cas | 4L << 14 | 14L << 43, reload},
        in -> pair(in, in.wideC()));
    one.check(
        "ATOM.CAS.64 that fails or not",
        new long[] {cas | 6L << 14 | 14L << 43, reload},
        in -> pair(in, in.wideA() == in.wideB() ? in.wideC() : in.wideA()));
  }

  /** LDU loads as LD does; 16 bytes go to four registers, of which two are looked at. */
  @Test
  @Covers({Opcode.LDU, Opcode.LD})
  void loads_uniformAndWide_loadTheSame(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long fields = ALWAYS | WIDE_ADDRESS | BASE | TARGET;
    for (int size = 0; size < 7; size++) {
      int s = size;
      one.check(
          "LDU",
          0x8800000000000005L | fields | (long) size << 5 | 16L << 26,
          in -> loaded(in, s, 16));
    }
    // An address of 32 bits: R2 alone, and a negative offset.
    one.check(
        "LD, 32 bits of address",
        new long[] {
          0x4800000000000003L | ALWAYS | 14L << 14 | 2L << 20 | 64L << 26 | 3L << 46,
          0x8000000000000085L | ALWAYS | 14L << 20 | TARGET | (-60L & 0xffff_ffffL) << 26
        },
        in -> loaded(in, 4, 4));
  }

  /** The sizes of both loads, as an independent disassembler lists them. */
  private static final int[][] PAIRED_SIZES = pairedSizes();

  private static int[][] pairedSizes() {
    List<int[]> sizes = new ArrayList<>();
    for (int first = 0; first < 5; first++) {
      for (int second = 0; second < 5; second++) {
        sizes.add(new int[] {first, second});
      }
    }
    for (int[] large : new int[][] {{4, 5}, {4, 6}, {5, 4}, {5, 5}, {5, 6}, {6, 4}, {6, 5}}) {
      sizes.add(large);
    }
    return sizes.toArray(int[][]::new);
  }

  /**
   * R4 is the first target, R8 the second; of what they are given the first words are looked at.
   */
  @Test
  @Covers({Opcode.LD_LDU, Opcode.LDS_LDU})
  void pairedLoads_allSizes_loadBoth(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long store = 0xc900000000000005L | ALWAYS | 14L << 20 | 5L << 5;
    long[] shared = {
      0x2c00000000000004L | ALWAYS | 14L << 14,
      shift(14, 5),
      store | 4L << 14,
      store | 6L << 14 | 8L << 26,
    };
    for (int sizes = 0; sizes < PAIRED_SIZES.length; sizes++) {
      int first = PAIRED_SIZES[sizes][0];
      int second = PAIRED_SIZES[sizes][1];
      int firstBytes = 1 << log2Bytes(first);
      int secondBytes = 1 << log2Bytes(second);
      int firstAt = random.nextInt(16 / firstBytes);
      int secondAt = random.nextInt(16 / secondBytes);
      long sized = (long) sizes << 53 | ALWAYS | 4L << 32 | 8L << 14 | 2L << 26;
      long offsets = (long) firstAt << 43 | (long) secondAt << 5;
      long load = 0xb000000000000005L | 3L << 58 | sized | BASE | offsets;
      one.check(
          "LD_LDU",
          new long[] {load, move(12, 4), move(13, 8)},
          in ->
              new Result(
                  loaded(in, first, firstAt * firstBytes).low(),
                  loaded(in, second, secondAt * secondBytes).low(),
                  in.flags()));
      long lds = 0xa800000000000005L | 1L << 58 | sized | 14L << 20 | offsets;
      one.check(
          "LDS_LDU",
          new long[] {shared[0], shared[1], shared[2], shared[3], lds, move(12, 4), move(13, 8)},
          in ->
              new Result(
                  loaded(in, first, firstAt * firstBytes).low(),
                  loaded(in, second, secondAt * secondBytes).low(),
                  in.flags()));
    }
  }

  private static long move(int target, int source) {
    return 0x28000000000001e4L | ALWAYS | (long) target << 14 | (long) source << 26;
  }

  /**
   * Addresses of 32 bits, negative offsets, and targets that are the addresses: what a kernel of a
   * compiler does, two loads beside the addresses they come from.
   */
  @Test
  @Covers(Opcode.LD_LDU)
  void pairedLoads_targetsThatAreAddresses_readThemFirst(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long base = 0x4800000000000003L | ALWAYS | 2L << 20 | 3L << 46;
    long words = 24L << 53 | (-1L & 0x3ff) << 43 | 0x1fL << 38 | 0x1eL << 5;
    long load = 0xb000000000000005L | ALWAYS | words | 13L << 32 | 13L << 20 | 12L << 26;
    one.check(
        "LD_LDU, 32 bits of address",
        new long[] {base | 12L << 14 | 8L << 26, base | 13L << 14 | 16L << 26, load | 12L << 14},
        in -> new Result(in.a(), in.bHigh(), in.flags()));
    one.check(
        "LD_LDU, first target is the second address",
        new long[] {
          base | 12L << 14 | 8L << 26,
          base | 13L << 14 | 16L << 26,
          load & ~(63L << 32) | 12L << 32 | 13L << 14
        },
        in -> new Result(in.bHigh(), in.a(), in.flags()));
  }

  /** Each lane has an offset of its own into the bank. */
  @Test
  @Covers(Opcode.LDC)
  void ldc_allSizes_loadsConstants(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    int[] constants = random.ints(64).toArray();
    ByteBuffer bytes = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(constants);
    long laneId = 0x2c00000000000004L | ALWAYS | 14L << 14;
    for (int size = 0; size < 6; size++) {
      int scale = log2Bytes(size);
      int s = size;
      for (long bank : new long[] {0, OperandForms.HIGH_BANK}) {
        long load =
            0x1400000000000006L
                | ALWAYS
                | TARGET
                | 14L << 20
                | (long) size << 5
                | (long) (OperandForms.OFFSET - 8 & 0xffff) << 26
                | bank << 42;
        one.checkConstants(
            "LDC",
            new long[] {laneId, shift(14, scale), addImmediate(14, 8), load},
            constants,
            all -> {
              List<@Nullable Result> results = new ArrayList<>();
              for (int lane = 0; lane < all.size(); lane++) {
                results.add(constant(all.get(lane), bytes, s, lane << scale));
              }
              return results;
            });
      }
    }
  }

  private static Result constant(Operands in, ByteBuffer bytes, int size, int at) {
    return switch (size) {
      case 0 -> word(in, bytes.get(at) & 0xff);
      case 1 -> word(in, bytes.get(at));
      case 2 -> word(in, bytes.getShort(at) & 0xffff);
      case 3 -> word(in, bytes.getShort(at));
      case 4 -> word(in, bytes.getInt(at));
      default -> pair(in, bytes.getLong(at));
    };
  }

  private static long addImmediate(int register, int value) {
    long operands = (long) register << 14 | (long) register << 20;
    return 0x4800000000000003L | ALWAYS | operands | (long) value << 26 | 3L << 46;
  }

  /**
   * Lanes in pairs want one word: the lower one gets the lock, P1; then those that have it store
   * and give it back, so that a second try of all succeeds for the lower ones again.
   */
  @Test
  @Covers({Opcode.LDSLK, Opcode.STSUL})
  void locks_twoLanesForAWord_oneGetsIt(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long lane = 0x2c00000000000004L | ALWAYS | 14L << 14;
    long half = 0x5800000000000003L | ALWAYS | 14L << 14 | 14L << 20 | 1L << 26 | 3L << 46;
    long places = 14L << 20 | 4L << 5;
    long lock = 0xc400000000000005L | ALWAYS | places | 12L << 14 | 1L << 50;
    long unlock = 0xcc00000000000005L | 1L << 10 | places | 4L << 14; // @P1
    long again = lock & ~(7L << 50) | 2L << 50;
    one.checkWarp(
        "LDSLK, STSUL",
        new long[] {lane, half, shift(14, 2), lock, unlock, again},
        all -> {
          List<@Nullable Result> results = new ArrayList<>();
          for (int n = 0; n < all.size(); n++) {
            boolean lower = n % 2 == 0;
            int flags = all.get(n).flags() & ~6 | (lower ? 6 : 0);
            int stored = all.get(n - n % 2).a();
            results.add(new Result(stored, BEFORE, flags));
          }
          return results;
        });
  }
}
