package io.sluice.gpu.sm;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of a program that was compiled: its steps by offset, and its code. */
final class CompiledPart {
  private static final int NONE = -1;

  private final Step[] steps;
  private final List<Segment> segments;
  private final int firstPc;
  private final int[] stepOf;
  private final int[] offsets;
  private final long[] words;
  private final OperandPool pool;
  private final CompiledCode code;
  private final int bytes;

  /**
   * @param bytes size of its class
   */
  CompiledPart(ProgramImage image, Planner plan, OperandPool pool, CompiledCode code, int bytes) {
    this.pool = pool;
    this.code = code;
    this.bytes = bytes;
    this.steps = plan.steps().toArray(Step[]::new);
    this.segments = List.copyOf(plan.segments());
    this.offsets = new int[image.instructions().size()];
    this.words = new long[offsets.length];
    int n = 0;
    for (Map.Entry<Integer, Instruction> entry : image.instructions().entrySet()) {
      offsets[n] = entry.getKey();
      words[n] = entry.getValue().word();
      n++;
    }
    this.firstPc = n == 0 ? 0 : offsets[0];
    this.stepOf = new int[n == 0 ? 0 : spread(offsets)];
    java.util.Arrays.fill(stepOf, NONE);
    for (int step = 0; step < steps.length; step++) {
      stepOf[(steps[step].pc() - firstPc) / Instruction.BYTES] = step;
    }
  }

  private static int spread(int[] offsets) {
    return (offsets[offsets.length - 1] - offsets[0]) / Instruction.BYTES + 1;
  }

  /** The step that starts at an offset; null when none does. */
  @Nullable Step stepAt(int pc) {
    int index = (pc - firstPc) / Instruction.BYTES;
    if (pc < firstPc || pc % Instruction.BYTES != 0 || index >= stepOf.length) {
      return null;
    }
    int step = stepOf[index];
    return step == NONE ? null : steps[step];
  }

  /** Its segments, by number. */
  List<Segment> segments() {
    return segments;
  }

  CompiledCode code() {
    return code;
  }

  /** The constants it needs. */
  List<OperandPool.Place> places() {
    return pool.places();
  }

  /** Those of them that a segment needs. */
  BitSet placesOf(int segment) {
    return pool.placesOf(segment);
  }

  /** One more than the highest number of its sites. */
  int sites() {
    return pool.sites();
  }

  int instructions() {
    return words.length;
  }

  /** Size of its class. */
  int bytes() {
    return bytes;
  }

  /** Whether memory still holds the instructions it was made of. */
  boolean isMadeOf(Program program) {
    for (int n = 0; n < words.length; n++) {
      if (program.word(offsets[n]) != words[n]) {
        return false;
      }
    }
    return true;
  }
}
