package io.sluice.gpu.sm.warp;

import java.util.Arrays;

/**
 * A block that runs: its place in the grid, its warps and its barriers. Used again for the next.
 */
public final class Block {
  private final Grid grid;
  private final Warp[] warps;
  private final int[] arrived = new int[Grid.MAX_BARRIERS];
  private final int[] expected = new int[Grid.MAX_BARRIERS];
  private final int[] count = new int[Grid.MAX_BARRIERS];
  private final boolean[] all = new boolean[Grid.MAX_BARRIERS];
  private int running;
  private int x;
  private int y;
  private int z;

  public Block(Grid grid, HeapBudget.WorkerShare heap) {
    this.grid = grid;
    this.warps = new Warp[grid.warps()];
    for (int n = 0; n < warps.length; n++) {
      warps[n] = new Warp(n, grid, heap);
    }
  }

  /**
   * Becomes a block of the grid that has not run.
   *
   * @param number which one, x first
   * @param readFirst registers that must be 0, by bit
   */
  public void reset(long number, long readFirst) {
    x = (int) (number % grid.gridX());
    y = (int) (number / grid.gridX() % grid.gridY());
    z = (int) (number / grid.gridX() / grid.gridY());
    for (int n = 0; n < warps.length; n++) {
      int lanes = Math.min(Warp.LANES, grid.threads() - n * Warp.LANES);
      warps[n].reset(lanes, grid.start(), readFirst);
    }
    running = warps.length;
    Arrays.fill(arrived, 0);
  }

  Grid grid() {
    return grid;
  }

  public int x() {
    return x;
  }

  public int y() {
    return y;
  }

  public int z() {
    return z;
  }

  public Warp[] warps() {
    return warps;
  }

  public boolean finished() {
    return running == 0;
  }

  /**
   * A warp comes to a barrier, and lets those go who wait there if it was the last.
   *
   * @param barrier which one
   * @param threads threads it is for; 0 means the whole block
   * @param lanes the lanes that came
   * @param yes the lanes whose predicate holds, for a barrier that reduces
   */
  public void arrive(int barrier, int threads, int lanes, int yes) {
    if (arrived[barrier] == 0) {
      count[barrier] = 0;
      all[barrier] = true;
    }
    arrived[barrier]++;
    expected[barrier] = threads;
    count[barrier] += Integer.bitCount(yes);
    all[barrier] &= yes == lanes;
    releaseIfComplete(barrier);
  }

  /** A warp has ended: barriers for the whole block do not wait for it. */
  public void warpEnded() {
    running--;
    for (int barrier = 0; barrier < Grid.MAX_BARRIERS; barrier++) {
      if (arrived[barrier] > 0) {
        releaseIfComplete(barrier);
      }
    }
  }

  private void releaseIfComplete(int barrier) {
    if (arrived[barrier] < needed(barrier)) {
      return;
    }
    arrived[barrier] = 0;
    for (Warp warp : warps) {
      if (warp.waitingAt == barrier) {
        warp.release(count[barrier], all[barrier]);
      }
    }
  }

  /** Warps a barrier waits for: those of its threads, or all that have not ended. */
  private int needed(int barrier) {
    if (expected[barrier] > 0) {
      return (expected[barrier] + Warp.LANES - 1) / Warp.LANES;
    }
    return running;
  }
}
