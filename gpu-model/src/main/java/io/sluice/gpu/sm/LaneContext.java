package io.sluice.gpu.sm;

import org.jspecify.annotations.Nullable;

/** The worker that runs compiled segments, as they see it. */
final class LaneContext {
  final LaneMemory memory;
  final SharedMemory shared;
  final ConstantMemory constants;

  /**
   * Constants whose place is in the instructions, of the part that runs; read when the worker came
   * to it first.
   */
  int[] pool = {};

  /** How often each lane took the branch of the loop that has just run. */
  final int[] trips = new int[Warp.LANES];

  @Nullable Block block;
  private Runnable poll = () -> {};
  private long clock;
  private @Nullable RuntimeException fault;
  private int faultPc;
  private int faultTrip;
  private int faultLane;
  private int left;

  LaneContext(LaneMemory memory) {
    this.memory = memory;
    this.shared = memory.shared();
    this.constants = memory.constants();
  }

  void enter(Block newBlock, Runnable newPoll) {
    block = newBlock;
    poll = newPoll;
  }

  /** Asks whether the grid is paused or stopped. */
  void poll() {
    poll.run();
  }

  void count(int instructions) {
    clock += instructions;
  }

  /** A special register of a lane. */
  int special(int index, Warp warp, int lane) {
    Block running = block;
    if (running == null) {
      throw new AssertionError("no block");
    }
    return SpecialRegister.read(index, running, warp, lane, clock);
  }

  /**
   * A lane has faulted. The others go on, so that the fault is found that comes first when all
   * lanes execute an instruction together: the one of the earliest instruction, of the lowest lane.
   *
   * <p>A lane that read beyond shared memory, by what its code knows, is left to be interpreted.
   *
   * @param trip how often the lane had been through the loop it is in
   */
  void record(RuntimeException thrown, int pc, int trip, int lane) {
    if (thrown instanceof ArrayIndexOutOfBoundsException) {
      left |= 1 << lane;
      return;
    }
    if (!(thrown instanceof WarpFault) && !(thrown instanceof MemoryFault)) {
      throw thrown;
    }
    boolean earlier =
        trip != faultTrip ? trip < faultTrip : pc != faultPc ? pc < faultPc : lane < faultLane;
    if (fault == null || earlier) {
      fault = thrown;
      faultPc = pc;
      faultTrip = trip;
      faultLane = lane;
    }
  }

  /** Lanes that have stored nothing and are to be interpreted instead; none any more afterwards. */
  int takeLeft() {
    int lanes = left;
    left = 0;
    return lanes;
  }

  /** Throws what lanes have recorded. */
  void throwFault() {
    RuntimeException thrown = fault;
    if (thrown != null) {
      fault = null;
      throw thrown;
    }
  }

  int faultPc() {
    return faultPc;
  }
}
