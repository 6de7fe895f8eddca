package io.sluice.gpu.launch;

import io.sluice.gpu.engine.ComputeState;
import io.sluice.gpu.sm.warp.Grid;
import java.util.ArrayList;
import java.util.List;

/** The reader of a grid from the words that a channel's methods have left (cl90c0.h). */
final class LaunchState {
  private static final int LOCAL_LOW_SIZE = 0x204;
  private static final int LOCAL_HIGH_SIZE = 0x208;
  private static final int LOCAL_CRS_SIZE = 0x20c;
  private static final int SHARED_WINDOW = 0x214;
  private static final int RASTER_SIZE_A = 0x238;
  private static final int RASTER_SIZE_B = 0x23c;
  private static final int SHARED_SIZE = 0x24c;
  private static final int THREAD_COUNT = 0x250;
  private static final int BARRIER_COUNT = 0x254;
  private static final int REGISTER_COUNT = 0x2c0;
  private static final int LAUNCH = 0x368;
  private static final int THREAD_DIMENSION_A = 0x3ac;
  private static final int THREAD_DIMENSION_B = 0x3b0;
  private static final int PROGRAM_START = 0x3b4;
  private static final int LOCAL_WINDOW = 0x77c;
  private static final int GRID_PARAM = 0x780;
  private static final int LOCAL_MEMORY = 0x790;
  private static final int LOCAL_MEMORY_SIZE = 0x798;
  private static final int LOCAL_MEMORY_WARP_SIZE = 0x7a0;
  private static final int PROGRAM_REGION = 0x1608;

  private static final int SHARED_SIZE_FIELD = 0x3ffff;
  private static final int WINDOW_FIELD = 0xff000000;
  private static final int HALF = 0xffff;

  private LaunchState() {}

  /** The grid. Nothing in it has been checked. */
  static Grid grid(ComputeState state) {
    int raster = state.register(RASTER_SIZE_A);
    int threads = state.register(THREAD_DIMENSION_A);
    return new Grid(
        raster & HALF,
        raster >>> 16,
        state.register(RASTER_SIZE_B) & HALF,
        threads & HALF,
        threads >>> 16,
        state.register(THREAD_DIMENSION_B) & HALF,
        state.register(REGISTER_COUNT),
        state.register(BARRIER_COUNT),
        state.register(SHARED_SIZE) & SHARED_SIZE_FIELD,
        local(state),
        state.register(LOCAL_CRS_SIZE),
        state.address(PROGRAM_REGION),
        state.register(PROGRAM_START),
        Integer.toUnsignedLong(state.register(SHARED_WINDOW) & WINDOW_FIELD),
        Integer.toUnsignedLong(state.register(LOCAL_WINDOW) & WINDOW_FIELD),
        state.register(GRID_PARAM),
        state.register(LAUNCH),
        banks(state),
        BoundImages.of(state));
  }

  /** Whether CTA_THREAD_COUNT is what the dimensions make. */
  static boolean isThreadCountRight(ComputeState state, Grid grid) {
    return state.register(THREAD_COUNT) == grid.threads();
  }

  private static Grid.Local local(ComputeState state) {
    return new Grid.Local(
        state.address(LOCAL_MEMORY),
        state.address(LOCAL_MEMORY_SIZE),
        Integer.toUnsignedLong(state.register(LOCAL_MEMORY_WARP_SIZE)),
        state.register(LOCAL_LOW_SIZE),
        state.register(LOCAL_HIGH_SIZE));
  }

  private static List<Grid.Bank> banks(ComputeState state) {
    List<Grid.Bank> banks = new ArrayList<>(Grid.MAX_BANKS);
    for (int slot = 0; slot < Grid.MAX_BANKS; slot++) {
      banks.add(new Grid.Bank(state.constantAddress(slot), state.constantBytes(slot)));
    }
    return banks;
  }
}
