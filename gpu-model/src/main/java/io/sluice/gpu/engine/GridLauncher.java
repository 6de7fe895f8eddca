package io.sluice.gpu.engine;

import io.sluice.gpu.mmu.GpuAddressSpace;

/**
 * The launcher of the grid that a channel's compute state describes. One for all channels of a GPU.
 */
public interface GridLauncher {
  /** A GPU without multiprocessors: every launch ends its channel as unsupported. */
  GridLauncher NONE =
      new GridLauncher() {
        @Override
        public Outcome launch(ComputeState state, EngineHost host) {
          return host.unsupported(Compute.LAUNCH, state.register(Compute.LAUNCH));
        }

        @Override
        public Outcome resume(ComputeState state, EngineHost host) {
          throw new AssertionError("nothing was launched");
        }
      };

  /**
   * Starts a grid; the launch word is in {@code state.register(Compute.LAUNCH)}.
   *
   * @return DONE when the grid has run, RUNNING to be asked again, FAULT when the channel ended
   */
  Outcome launch(ComputeState state, EngineHost host);

  /** Asks for the grid of a channel whose launch answered RUNNING. */
  Outcome resume(ComputeState state, EngineHost host);

  /** Whether a channel has a grid that has not ended: {@link #resume} would answer RUNNING. */
  default boolean isRunning(EngineHost host) {
    return false;
  }

  /** How long the grid of a channel has worked: what it waited for does not count. */
  default long workedNs(EngineHost host) {
    return 0;
  }

  /** Bytes of the host's heap that the grids of an open have now. */
  default long heapBytes(TimeShare share) {
    return 0;
  }

  /**
   * Compiled programs of the guest that an open is for.
   *
   * @param kept that are kept
   * @param limit most that are
   * @param bytes of their code
   * @param limitBytes most bytes, but for the program that was used last
   * @param interpreted how often one was not compiled, because it came too soon
   */
  record ProgramCounts(int kept, int limit, long bytes, long limitBytes, long interpreted) {
    /** Where nothing is compiled. */
    public static final ProgramCounts NONE = new ProgramCounts(0, 0, 0, 0, 0);
  }

  /** What the guest of an open has compiled. */
  default ProgramCounts programs(TimeShare share) {
    return ProgramCounts.NONE;
  }

  /** Ends the grid of a channel, if there is one, soon: {@link #quiesce} waits for that. */
  default void cancel(EngineHost host) {}

  /**
   * What to do after something was taken from an address space, or a grid in it cancelled.
   *
   * @return returns once no grid uses what it had found in the address space before, and the
   *     cancelled ones touch nothing any more; it is run without the GPU's lock
   */
  default Runnable quiesce(GpuAddressSpace space) {
    return () -> {};
  }

  /** Runs something on the threads of grids, in an open's share of their time. */
  default void inBackground(TimeShare share, Runnable task) {
    task.run();
  }
}
