package io.sluice.gpu.engine;

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
   * @return DONE when the grid has run, PENDING to be asked again, FAULT when the channel ended
   */
  Outcome launch(ComputeState state, EngineHost host);

  /** Goes on with the grid of a channel whose launch answered PENDING. */
  Outcome resume(ComputeState state, EngineHost host);
}
