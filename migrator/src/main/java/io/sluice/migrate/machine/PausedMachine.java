package io.sluice.migrate.machine;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A machine of which nothing moves by itself: it stands still as soon as it may, and its memory is
 * somebody else's concern. What it is to do at each step is its subclass's.
 */
public abstract class PausedMachine implements SourceMachine {
  private MachineProgress.State state = MachineProgress.State.IDLE;

  /** For subclasses. */
  protected PausedMachine() {}

  /** It is to stand still. */
  protected void stop() {}

  /**
   * The migration is given up.
   *
   * @param stood whether it was to stand still
   */
  protected abstract void goOn(boolean stood);

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
  public final void allowStop() {
    if (state == MachineProgress.State.COPYING) {
      stop();
      state = MachineProgress.State.STOPPED;
    }
  }

  @Override
  public final void forceStop() {
    allowStop();
  }

  @Override
  public final MachineProgress progress() {
    return MachineProgress.of(state);
  }

  @Override
  public final boolean redirty(List<PageRange> pages) {
    return true;
  }

  @Override
  public final void switchOver() {
    state = MachineProgress.State.COMPLETED;
  }

  @Override
  public final void abort() {
    boolean stood =
        state == MachineProgress.State.STOPPED || state == MachineProgress.State.COMPLETED;
    goOn(stood);
    state = MachineProgress.State.IDLE; // not before: it is asked again if that fails
  }

  @Override
  public void finish() {
    state = MachineProgress.State.IDLE;
  }

  @Override
  public final void setWaker(Runnable waker) {}

  @Override
  public void close() {}
}
