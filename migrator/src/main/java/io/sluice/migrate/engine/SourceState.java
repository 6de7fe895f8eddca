package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import io.sluice.channel.record.Snapshot;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.MemorySource;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.StateMachine;
import java.util.List;
import java.util.Optional;

/**
 * The state of a guest that stands still, as it is sent: its records, its control pages, its
 * device; and the pages of the machine's memory that its GPU wrote, which the machine must carry
 * once more.
 */
final class SourceState {
  /**
   * The stages of saving the state of a guest that stands still.
   *
   * <pre>
   *  NOT_BEGUN → HOLDING_STILL → TAKEN
   * </pre>
   */
  enum SavingStage implements Stage<SavingStage> {
    /** The guest may still run. */
    NOT_BEGUN,
    /** The machine is asked to hold still; what the GPU wrote of its memory is counted. */
    HOLDING_STILL,
    /** The state is on its way; it is not taken again. */
    TAKEN;

    @Override
    public ImmutableSet<SavingStage> next() {
      return switch (this) {
        case NOT_BEGUN -> ImmutableSet.of(HOLDING_STILL);
        case HOLDING_STILL -> ImmutableSet.of(TAKEN);
        case TAKEN -> ImmutableSet.of();
      };
    }
  }

  /** The states, each with what it must know. */
  sealed interface SavingState extends StateMachine.State<SavingStage> {
    /** {@link SavingStage#NOT_BEGUN}. */
    record NotBegun() implements SavingState {}

    /** {@link SavingStage#HOLDING_STILL}. */
    record HoldingStill(long sinceNs) implements SavingState {}

    /**
     * {@link SavingStage#TAKEN}.
     *
     * @param begunNs when the machine was asked to hold still
     * @param atNs when it was taken
     */
    record Taken(long begunNs, long atNs) implements SavingState {}

    @Override
    default SavingStage stage() {
      return switch (this) {
        case NotBegun _ -> SavingStage.NOT_BEGUN;
        case HoldingStill _ -> SavingStage.HOLDING_STILL;
        case Taken _ -> SavingStage.TAKEN;
      };
    }
  }

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
    life = new StateMachine<>("saving of " + mapped.guest().name(), new SavingState.NotBegun());
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
    if (life.state() instanceof SavingState.NotBegun) {
      begin(nowNs);
    }
    if (!(life.state() instanceof SavingState.HoldingStill still) || !machine.holdStill()) {
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
    life.enter(new SavingState.Taken(still.sinceNs(), nowNs), "the machine holds still");
    return Optional.of(writer.finish(copiesMemory ? memory.pass() : 0));
  }

  private void begin(long nowNs) {
    life.enter(new SavingState.HoldingStill(nowNs), "the guest stands");
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

  /** What took how long, and what the machine has left; once taken. */
  MigrationFigures.SavingFigures figures() {
    if (!(life.state() instanceof SavingState.Taken taken)) {
      throw new AssertionError("not taken, stage=" + life.stage());
    }
    return new MigrationFigures.SavingFigures(
        taken.atNs() - taken.begunNs(),
        redirtiedNs - taken.begunNs(),
        machine.progress().bytesLeft());
  }

  /** Of the machine's memory, that the GPU wrote. */
  long redirtiedBytes() {
    return redirtiedBytes;
  }
}
