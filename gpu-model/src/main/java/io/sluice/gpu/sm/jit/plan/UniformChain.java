package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.warp.Warp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Instructions of a segment that give the same in every lane if a register or two do: a loop's
 * counter, and what is computed of it. They need be executed once for a warp. Whether those
 * registers are the same is seen when the segment runs.
 *
 * <p>Only instructions are taken that always execute, never fault, and leave the condition code
 * alone; and only for the sake of some that take long.
 *
 * @param inputs the registers that must be the same, as they are before the segment
 * @param selected the instructions by offset
 */
public record UniformChain(List<Integer> inputs, SortedMap<Integer, Instruction> selected) {
  /** More registers are hardly ever all the same. */
  private static final int MAX_INPUTS = 2;

  private static final int ALL_LANES = 0xf;
  private static final int BEFORE = -1;

  /** The chain of a segment, if there is one. */
  public static Optional<UniformChain> of(Segment segment) {
    if (segment.kind() == Step.Kind.LOOP) {
      return Optional.empty();
    }
    Search search = new Search(segment.body());
    search.selectLong();
    if (search.selected.isEmpty()) {
      return Optional.empty();
    }
    search.selectRest();
    SortedMap<Integer, Instruction> selected = new TreeMap<>();
    search.selected.stream()
        .forEach(n -> selected.put(segment.pc() + n * Instruction.BYTES, segment.body().get(n)));
    return Optional.of(new UniformChain(search.inputs.stream().boxed().toList(), selected));
  }

  /** Whether a register is the same in all lanes of a set; false for a set of none. */
  public static boolean isUniform(int[] registers, int register, int lanes) {
    int start = register * Warp.LANES;
    if (lanes == -1) {
      int end = start + Warp.LANES;
      return Arrays.equals(registers, start, end - 1, registers, start + 1, end);
    }
    if (lanes == 0) {
      return false;
    }
    int first = registers[start + Integer.numberOfTrailingZeros(lanes)];
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      if (registers[start + Integer.numberOfTrailingZeros(rest)] != first) {
        return false;
      }
    }
    return true;
  }

  /** The search for them. */
  private static final class Search {
    private final List<Instruction> body;

    /** By instruction: those in the segment whose results it reads; null if it cannot be taken. */
    private final List<Optional<BitSet>> producers = new ArrayList<>();

    /** By instruction: registers it reads as they are before the segment. */
    private final List<BitSet> entries = new ArrayList<>();

    final BitSet selected = new BitSet();
    final BitSet inputs = new BitSet();

    Search(List<Instruction> body) {
      this.body = body;
      int[] writer = new int[Instruction.RZ];
      Arrays.fill(writer, BEFORE);
      for (int n = 0; n < body.size(); n++) {
        Effects effects = Effects.of(body.get(n).form(), body.get(n));
        look(body.get(n), effects, writer);
        for (int r = 0; r < Instruction.RZ; r++) {
          writer[r] = (effects.writes() >>> r & 1) != 0 ? n : writer[r];
        }
      }
    }

    private void look(Instruction i, Effects effects, int[] writer) {
      BitSet from = new BitSet();
      BitSet entry = new BitSet();
      boolean possible = isPossible(i, effects);
      for (int r = 0; r < Instruction.RZ; r++) {
        if ((effects.reads() >>> r & 1) != 0) {
          if (writer[r] == BEFORE) {
            entry.set(r);
          } else {
            from.set(writer[r]);
            possible &= producers.get(writer[r]).isPresent();
          }
        }
      }
      producers.add(possible ? Optional.of(from) : Optional.empty());
      entries.add(entry);
    }

    /** Selects those that take long, with all they depend on. */
    void selectLong() {
      for (int n = 0; n < body.size(); n++) {
        if (producers.get(n).isPresent() && takesLong(body.get(n).form())) {
          BitSet chain = new BitSet();
          BitSet needed = (BitSet) inputs.clone();
          gather(n, chain, needed);
          if (needed.cardinality() <= MAX_INPUTS) {
            selected.or(chain);
            inputs.or(needed);
          }
        }
      }
    }

    private void gather(int n, BitSet chain, BitSet needed) {
      if (!chain.get(n)) {
        chain.set(n);
        needed.or(entries.get(n));
        producers.get(n).orElseThrow().stream().forEach(p -> gather(p, chain, needed));
      }
    }

    /** Selects what depends on nothing else. */
    void selectRest() {
      for (int n = 0; n < body.size(); n++) {
        Optional<BitSet> from = producers.get(n);
        if (from.isPresent()
            && isWithin(from.get(), selected)
            && isWithin(entries.get(n), inputs)) {
          selected.set(n);
        }
      }
    }

    private static boolean isWithin(BitSet part, BitSet all) {
      BitSet rest = (BitSet) part.clone();
      rest.andNot(all);
      return rest.isEmpty();
    }
  }

  private static boolean takesLong(Opcode opcode) {
    return switch (opcode) {
      case MUFU, F2F, F2I, I2F -> true;
      default -> false;
    };
  }

  private static boolean isPossible(Instruction i, Effects effects) {
    boolean plain =
        i.isAlways()
            && !i.join()
            && !i.writesCc()
            && !effects.readsCc()
            && !effects.writesCc()
            && effects.predicateReads() == 0;
    boolean writes = effects.writes() != 0 || effects.predicateWrites() != 0;
    return plain && writes && isArithmetic(i);
  }

  private static boolean isArithmetic(Instruction i) {
    return switch (i.form()) {
      case MOV, MOV32I -> i.bits(8, 5) == ALL_LANES;
      case F2F, F2I, I2F, I2I, ISETP, FSETP, DSETP -> true;
      default ->
          i.form().family() == Opcode.Family.INTEGER || i.form().family() == Opcode.Family.FLOAT;
    };
  }
}
