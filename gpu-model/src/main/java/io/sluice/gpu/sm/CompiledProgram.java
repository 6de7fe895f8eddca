package io.sluice.gpu.sm;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/** A program that was compiled: its steps by offset, its code, what it needs of a worker. */
final class CompiledProgram implements WarpRunner.Factory {
  private static final int NONE = -1;

  /** Most offsets that are remembered as not seen. */
  private static final int MAX_UNSEEN = 64;

  private final ProgramImage image;
  private final Step[] steps;
  private final List<Segment> segments;
  private final int firstPc;
  private final int[] stepOf;
  private final OperandPool pool;
  private final CompiledCode code;
  private final long readFirst;
  private final Set<Integer> unseen = new ConcurrentSkipListSet<>();

  CompiledProgram(
      ProgramImage image, Planner plan, OperandPool pool, CompiledCode code, long readFirst) {
    this.readFirst = readFirst;
    this.image = image;
    this.pool = pool;
    this.code = code;
    this.steps = plan.steps().toArray(Step[]::new);
    this.segments = List.copyOf(plan.segments());
    this.firstPc = image.instructions().isEmpty() ? 0 : image.instructions().firstKey();
    int last = image.instructions().isEmpty() ? 0 : image.instructions().lastKey();
    this.stepOf = new int[(last - firstPc) / Instruction.BYTES + 1];
    java.util.Arrays.fill(stepOf, NONE);
    for (int n = 0; n < steps.length; n++) {
      stepOf[(steps[n].pc() - firstPc) / Instruction.BYTES] = n;
    }
  }

  /** The instructions it was made of. */
  ProgramImage image() {
    return image;
  }

  /** Its segments, by number. */
  List<Segment> segments() {
    return segments;
  }

  OperandPool pool() {
    return pool;
  }

  CompiledCode code() {
    return code;
  }

  /** The step that starts at an offset; null when none was compiled. */
  @Nullable Step stepAt(int pc) {
    int index = (pc - firstPc) / Instruction.BYTES;
    if (pc < firstPc || pc % Instruction.BYTES != 0 || index >= stepOf.length) {
      return null;
    }
    int step = stepOf[index];
    return step == NONE ? null : steps[step];
  }

  /** Remembers an offset where a warp was that no step starts at. */
  void sawUnseen(int pc) {
    if (unseen.size() < MAX_UNSEEN) {
      unseen.add(pc);
    }
  }

  /** Such offsets. */
  Set<Integer> unseen() {
    return unseen;
  }

  @Override
  public int sites() {
    return pool.sites();
  }

  @Override
  public long readFirst() {
    return readFirst;
  }

  @Override
  public WarpRunner create(Grid grid, LaneMemory memory) {
    return new CompiledWarps(this, grid, memory);
  }
}
