package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.memory.BlockMemory;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.texture.SurfaceUnit;
import io.sluice.gpu.sm.texture.TextureUnit;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.SpecialRegister;
import io.sluice.gpu.sm.warp.Warp;
import org.jspecify.annotations.Nullable;

/** The worker that runs compiled segments, as they see it. */
public final class LaneContext {
  public final LaneMemory memory;
  public final BlockMemory shared;
  public final ConstantMemory constants;
  public final TextureUnit textures;
  public final SurfaceUnit surfaces;

  /**
   * Constants whose place is in the instructions, of the part that runs; read when the worker came
   * to it first.
   */
  public int[] pool = {};

  /** How often each lane took the branch of the loop that has just run. */
  public final int[] trips = new int[Warp.LANES];

  public @Nullable Block block;
  private Runnable poll = () -> {};
  private long clock;
  private @Nullable RuntimeException fault;
  private int faultPc;
  private int faultTrip;
  private int faultLane;
  private int left;

  public LaneContext(Grid grid, LaneMemory memory) {
    this.memory = memory;
    this.shared = memory.shared();
    this.constants = memory.constants();
    this.textures = new TextureUnit(grid, memory.global());
    this.surfaces = new SurfaceUnit(grid, memory.global());
  }

  public void enter(Block newBlock, Runnable newPoll) {
    block = newBlock;
    poll = newPoll;
  }

  /** Asks whether the grid is paused or stopped. */
  public void poll() {
    poll.run();
  }

  public void count(int instructions) {
    clock += instructions;
  }

  /** A special register of a lane. */
  public int special(int index, Warp warp, int lane) {
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
  public void record(RuntimeException thrown, int pc, int trip, int lane) {
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
  public int takeLeft() {
    int lanes = left;
    left = 0;
    return lanes;
  }

  /** Throws what lanes have recorded. */
  public void throwFault() {
    RuntimeException thrown = fault;
    if (thrown != null) {
      fault = null;
      throw thrown;
    }
  }

  public int faultPc() {
    return faultPc;
  }
}
