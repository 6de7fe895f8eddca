package io.sluice.migrate.machine;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A machine of which nothing moves: its processors stand still as soon as they are asked to, and
 * its memory is somebody else's concern. For checkpoints.
 *
 * @param pause stops whoever uses the guest, and lets it go on
 */
public record StandingMachine(Pause pause) {
  /** The pause of the guest's user. */
  public interface Pause {
    /** It stands still when this returns. */
    void stop();

    /** It goes on. */
    void resume();
  }

  /** The source's side. */
  public SourceMachine source() {
    return new Source(pause);
  }

  private static final class Source extends PausedMachine {
    private final Pause pause;

    Source(Pause pause) {
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
}
