package io.sluice.testbed.bench.migration;

import io.sluice.migrate.machine.PausedMachine;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A machine of which nothing moves: its processors stand still as soon as they are asked to, and
 * its memory is somebody else's concern.
 */
final class StandingMachine extends PausedMachine {
  /** The pause of the guest's user. */
  interface Pause {
    /** It stands still when this returns. */
    void stop();

    /** It goes on. */
    void resume();
  }

  private final Pause pause;

  /**
   * @param pause stops whoever uses the guest, and lets it go on
   */
  StandingMachine(Pause pause) {
    this.pause = pause;
  }

  @Override
  protected void stop() {
    pause.stop();
  }

  @Override
  protected void goOn(boolean stood) {
    if (stood) {
      pause.resume();
    }
  }

  @Override
  public List<ByteBuffer> save() {
    return List.of();
  }
}
