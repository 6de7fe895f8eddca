package io.sluice.gpu;

/**
 * The way in which the engine's thread waits when there is nothing to do. Only the composition root
 * makes threads wait, so it is handed in.
 */
public interface IdleStrategy {
  /**
   * Waits on the engine's thread. Returning early does no harm.
   *
   * @param ns nanoseconds to wait at most; 0 asks for a spin hint
   */
  void idle(long ns);

  /** Ends a wait early: there is something to do. Called from any thread, never blocks. */
  void wake();

  /**
   * The engine goes into a guest's memory while several opens have channels: whoever is there to
   * take its place ({@link GpuEngine#relieve}) looks from now on. Called from any thread, never
   * blocks.
   *
   * @param apart nobody else is to wait for it for long: its place is to be taken soon
   */
  default void working(boolean apart) {}

  /** That of an engine whose work is called for by whoever made it: nobody waits. */
  static IdleStrategy none() {
    return new IdleStrategy() {
      @Override
      public void idle(long ns) {}

      @Override
      public void wake() {}
    };
  }
}
