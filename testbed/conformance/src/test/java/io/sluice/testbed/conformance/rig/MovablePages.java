package io.sluice.testbed.conformance.rig;

import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.nvidia.submit.UserdWords;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The pages of a guest's channel, which goes on behind others when it has moved. */
public final class MovablePages implements HopperRing.ChannelPages {
  private UserdWords control;
  private MemorySegment doorbell;
  private Runnable whileWithdrawn = Thread::onSpinWait;
  private @Nullable Supplier<MemorySegment> doorbells;
  private int generation;

  public MovablePages(MemorySegment control, MemorySegment doorbell) {
    this.control = new UserdWords(control);
    this.doorbell = doorbell;
  }

  /** The channel goes on behind these. */
  public void moveTo(MemorySegment nextControl, MemorySegment nextDoorbell) {
    control = new UserdWords(nextControl);
    doorbell = nextDoorbell;
  }

  /**
   * The device may be moved to another GPU, whose doorbell is another page. It has another
   * generation then, which is looked at before each ring.
   *
   * @param again maps the doorbell page anew
   */
  public void whenMoved(Supplier<MemorySegment> again) {
    doorbells = again;
    generation = control.generation();
  }

  /**
   * @param action called again and again while the host holds the channel, in place of spinning; it
   *     may {@link #moveTo}, or throw to give up
   */
  public void whileWithdrawn(Runnable action) {
    whileWithdrawn = action;
  }

  @Override
  public UserdWords control() {
    return control;
  }

  @Override
  public MemorySegment doorbell() {
    if (doorbells != null && control.generation() != generation) {
      generation = control.generation();
      doorbell = doorbells.get();
    }
    return doorbell;
  }

  @Override
  public void withdrawn() {
    whileWithdrawn.run();
  }
}
