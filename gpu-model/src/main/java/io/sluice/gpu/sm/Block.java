package io.sluice.gpu.sm;

import java.util.ArrayList;
import java.util.List;

/** A block that runs: its place in the grid, its warps and its barriers. */
final class Block {
  private final int x;
  private final int y;
  private final int z;
  private final List<Warp> warps;
  private final int[] arrived = new int[Grid.MAX_BARRIERS];
  private final int[] expected = new int[Grid.MAX_BARRIERS];
  private final int[] votes = new int[Grid.MAX_BARRIERS];
  private final boolean[] all = new boolean[Grid.MAX_BARRIERS];
  private final boolean[] any = new boolean[Grid.MAX_BARRIERS];

  Block(Grid grid, int x, int y, int z) {
    this.x = x;
    this.y = y;
    this.z = z;
    List<Warp> list = new ArrayList<>(grid.warps());
    int threads = grid.threads();
    for (int n = 0; n < grid.warps(); n++) {
      int lanes = Math.min(Warp.LANES, threads - n * Warp.LANES);
      list.add(new Warp(n, lanes, grid.start(), grid.stackBytes()));
    }
    this.warps = List.copyOf(list);
    java.util.Arrays.fill(all, true);
  }

  int x() {
    return x;
  }

  int y() {
    return y;
  }

  int z() {
    return z;
  }

  List<Warp> warps() {
    return warps;
  }

  boolean finished() {
    for (Warp warp : warps) {
      if (!warp.finished()) {
        return false;
      }
    }
    return true;
  }

  /**
   * A warp comes to a barrier.
   *
   * @param barrier which one
   * @param threads threads it is for; 0 means the whole block
   * @param lanes the lanes that came
   * @param yes the lanes whose predicate holds, for a barrier that reduces
   */
  void arrive(int barrier, int threads, int lanes, int yes) {
    arrived[barrier]++;
    expected[barrier] = threads;
    votes[barrier] += Integer.bitCount(yes);
    any[barrier] |= yes != 0;
    all[barrier] &= yes == lanes;
  }

  /** What the reduction of a barrier gave: population count, and, or. */
  int reduction(int barrier, int operation) {
    return switch (operation) {
      case 0 -> votes[barrier];
      case 1 -> all[barrier] ? 1 : 0;
      default -> any[barrier] ? 1 : 0;
    };
  }

  /** Lets go those whose barrier is complete; says whether there were any. */
  boolean releaseBarriers() {
    boolean released = false;
    for (int b = 0; b < Grid.MAX_BARRIERS; b++) {
      if (arrived[b] > 0 && arrived[b] >= needed(b)) {
        for (Warp warp : warps) {
          if (warp.waitingAt == b) {
            warp.release();
          }
        }
        arrived[b] = 0;
        released = true;
      }
    }
    return released;
  }

  /** Forgets the votes of a barrier, once its first warp of the next round arrives. */
  void resetVotes(int barrier) {
    if (arrived[barrier] == 0) {
      votes[barrier] = 0;
      any[barrier] = false;
      all[barrier] = true;
    }
  }

  /** Warps a barrier waits for: those of its threads, or all that have not ended. */
  private int needed(int barrier) {
    if (expected[barrier] > 0) {
      return (expected[barrier] + Warp.LANES - 1) / Warp.LANES;
    }
    int running = 0;
    for (Warp warp : warps) {
      running += warp.finished() ? 0 : 1;
    }
    return running;
  }
}
