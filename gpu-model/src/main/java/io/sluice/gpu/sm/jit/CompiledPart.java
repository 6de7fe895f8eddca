package io.sluice.gpu.sm.jit;

import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.emit.CompiledCode;
import io.sluice.gpu.sm.jit.emit.OperandPool;
import io.sluice.gpu.sm.jit.plan.Planner;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A part of a program that was compiled: its steps by offset, and its code. */
final class CompiledPart {
  private static final int INDEX_SHIFT = 3;

  // Bytes of the heap that it takes, rounded up: see bytes().
  private static final int PART_BYTES = 512;
  private static final int PLACE_BYTES = 4;
  private static final int STEP_BYTES = 48;
  private static final int SEGMENT_BYTES = 32;
  private static final int INSTRUCTION_BYTES = 40; // and its offset and its word
  private static final int LIST_BYTES = 48;
  private static final int TOKEN_BYTES = 24;
  private static final int CODED_BYTES = 8; // of an instruction in the list of its segment

  /**
   * Steps by the number of their first instruction from the first of all; null where none starts.
   */
  private final @Nullable Step[] steps;

  private final List<Segment> segments;
  private final int firstPc;
  private final int[] offsets;
  private final long[] words;
  private final OperandPool pool;
  private final CompiledCode code;
  private final int bytes;

  /**
   * @param classBytes size of its class
   */
  CompiledPart(
      ProgramImage image, Planner plan, OperandPool pool, CompiledCode code, int classBytes) {
    this.pool = pool;
    this.code = code;
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
    this.steps = new Step[n == 0 ? 0 : spread(offsets)];
    for (Step step : plan.steps()) {
      steps[(step.pc() - firstPc) / Instruction.BYTES] = step;
    }
    this.bytes = classBytes + pool.heapBytes() + heapBytes(plan);
  }

  private int heapBytes(Planner plan) {
    int sum = PART_BYTES + steps.length * PLACE_BYTES + words.length * INSTRUCTION_BYTES;
    for (Step step : plan.steps()) {
      int tokens = step.tokens().size();
      sum += STEP_BYTES + (tokens == 0 ? 0 : LIST_BYTES + tokens * TOKEN_BYTES);
    }
    for (Segment segment : segments) {
      sum += SEGMENT_BYTES + LIST_BYTES + segment.instructions().size() * CODED_BYTES;
    }
    return sum;
  }

  private static int spread(int[] offsets) {
    return (offsets[offsets.length - 1] - offsets[0]) / Instruction.BYTES + 1;
  }

  /** The step that starts at an offset; null when none does. */
  @Nullable Step stepAt(int pc) {
    // An offset before the first one becomes a very large index.
    int index = pc - firstPc >>> INDEX_SHIFT;
    boolean starts = index < steps.length && (pc & Instruction.BYTES - 1) == 0;
    return starts ? steps[index] : null;
  }

  /** Its segments, by number. */
  List<Segment> segments() {
    return segments;
  }

  CompiledCode code() {
    return code;
  }

  /** The constants it needs. */
  List<OperandPool.BankWord> places() {
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

  /** Size of its class, and roughly, but no less, of its steps and constants on the heap. */
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
