package io.sluice.migrate.engine;

import io.sluice.channel.record.Snapshot;
import io.sluice.migrate.engine.SavingState.HoldingStill;
import io.sluice.migrate.engine.SavingState.NotBegun;
import io.sluice.migrate.engine.SavingState.Taken;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.MemorySource;
import io.sluice.migrate.phase.StateMachine;
import java.util.List;
import java.util.Optional;

/**
 * The state of a guest that stands still, as it is sent: its records, its control pages, its
 * device; and the pages of the machine's memory that its GPU wrote, which the machine must carry
 * once more.
 */
final class SourceState {
  private final MappedGuest mapped;
  private final SourceMachine machine;
  private final MemorySource memory;
  private final boolean copiesMemory;
  private final StopPreparation before;
  private final StateMachine<SavingStage, SavingState> life;

  /** Goes on beside the saving, and may take longer. */
  private boolean redirtying;

  private long redirtiedBytes;
  private long redirtiedNs;

  /**
   * @param copiesMemory whether video memory is copied, so that passes over it are counted
   * @param before what was done before the machine stopped
   */
  SourceState(
      MappedGuest mapped,
      SourceMachine machine,
      MemorySource memory,
      boolean copiesMemory,
      StopPreparation before) {
    this.mapped = mapped;
    this.machine = machine;
    this.memory = memory;
    this.copiesMemory = copiesMemory;
    this.before = before;
    life = new StateMachine<>("saving of " + mapped.guest().name(), new NotBegun());
  }

  /** Whether {@link #take} was done. */
  boolean isTaken() {
    return life.stage() == SavingStage.TAKEN;
  }

  /**
   * Takes it, once.
   *
   * @return the frames that tell it; empty while the machine is not held still: call again
   */
  Optional<List<Frame>> take(long nowNs) {
    if (life.state() instanceof NotBegun) {
      begin(nowNs);
    }
    if (!(life.state() instanceof HoldingStill still) || !machine.holdStill()) {
      return Optional.empty();
    }
    StateFrames.Writer writer = new StateFrames.Writer();
    writer.records(Snapshot.write(mapped.guest().move().snapshot()));
    if (!machine.handsMemoryOver()) {
      for (int channelId : mapped.guest().channels().ids()) {
        writer.controlPage(channelId, ControlWordsCopy.take(mapped.control(), channelId));
      }
    }
    machine.save().forEach(writer::device);
    life.enter(new Taken(still.sinceNs(), nowNs), "the machine holds still");
    return Optional.of(writer.finish(copiesMemory ? memory.pass() : 0));
  }

  private void begin(long nowNs) {
    life.enter(new HoldingStill(nowNs), "the guest stands");
    redirtiedNs = nowNs;
    if (!machine.handsMemoryOver() && !machine.asksForGuestWrites() && !before.isTouched()) {
      redirty();
    }
  }

  private void redirty() {
    List<SourceMachine.PageRange> ranges =
        memory.dirtyGuestMemory().stream()
            .map(range -> new SourceMachine.PageRange(range.start(), range.bytes()))
            .toList();
    redirtiedBytes = ranges.stream().mapToLong(SourceMachine.PageRange::bytes).sum();
    redirtying = !machine.redirty(ranges);
  }

  /** Whether the machine is still to be told of pages that the GPU wrote. */
  boolean isRedirtying() {
    return redirtying;
  }

  /** Goes on with it; whether it has come to its end. */
  boolean redirtyOn(long nowNs) {
    redirtying = !machine.redirty(List.of());
    redirtiedNs = nowNs;
    return !redirtying;
  }

  /** What took how long; once taken. */
  MigrationFigures.Saving times() {
    if (!(life.state() instanceof Taken taken)) {
      throw new AssertionError("not taken, stage=" + life.stage());
    }
    return new MigrationFigures.Saving(
        taken.atNs() - taken.begunNs(), redirtiedNs - taken.begunNs());
  }

  /** Of the machine's memory, that the GPU wrote. */
  long redirtiedBytes() {
    return redirtiedBytes;
  }
}
