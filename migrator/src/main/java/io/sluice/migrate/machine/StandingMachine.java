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
  /** How the guest's user is kept from running. */
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

  private static final class Source implements SourceMachine {
    private final Pause pause;
    private MachineProgress.State state = MachineProgress.State.IDLE;

    Source(Pause pause) {
      this.pause = pause;
    }

    @Override
    public List<Blocker> blockers() {
      return List.of();
    }

    @Override
    public ByteBuffer describe() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public void start(ByteBuffer target) {
      state = MachineProgress.State.COPYING;
    }

    @Override
    public void allowStop() {
      if (state == MachineProgress.State.COPYING) {
        pause.stop();
        state = MachineProgress.State.STOPPED;
      }
    }

    @Override
    public void forceStop() {
      allowStop();
    }

    @Override
    public MachineProgress progress() {
      return MachineProgress.of(state);
    }

    @Override
    public boolean redirty(List<PageRange> pages) {
      return true;
    }

    @Override
    public List<ByteBuffer> save() {
      return List.of();
    }

    @Override
    public void switchOver() {
      state = MachineProgress.State.COMPLETED;
    }

    @Override
    public void abort() {
      if (state == MachineProgress.State.STOPPED || state == MachineProgress.State.COMPLETED) {
        pause.resume();
      }
      state = MachineProgress.State.IDLE;
    }

    @Override
    public void finish() {
      state = MachineProgress.State.IDLE;
    }

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }
}
