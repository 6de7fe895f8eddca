package io.sluice.gpu.engine;

import io.sluice.gpu.mmu.AddressSpace;

/** Executes the grid that a channel's compute state describes. One for all channels of a GPU. */
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

  /** Ends the grid of a channel, if there is one; it touches no memory any more afterwards. */
  default void cancel(EngineHost host) {}

  /** Stops the grids that run in an address space, which is going to change. */
  default void pause(AddressSpace space) {}

  /** Lets them go on. */
  default void unpause(AddressSpace space) {}
}
