package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.warp.Warp;

/** The bytecode of a program: its segments. */
public abstract class CompiledCode {
  /**
   * Runs a segment for some lanes of a warp, one lane after the other.
   *
   * @param segment which
   * @return the lanes that take the branch at its end, or meet there; of a loop nothing
   */
  public abstract int run(int segment, LaneContext context, Warp warp, int lanes);
}
