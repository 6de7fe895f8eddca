package io.sluice.migrate.engine;

import io.sluice.channel.guest.GuestRestore;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.MemoryTarget;
import io.sluice.migrate.phase.RetriedStep;
import io.sluice.migrate.phase.StateMachine;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The states of a {@link MigrationTarget}, each with what it must know. */
sealed interface Incoming extends StateMachine.State<IncomingStage> {
  /** Something to throw away. */
  sealed interface Held extends Incoming {
    /** What was offered. */
    Offer offer();

    /** What receives the guest's machine. */
    TargetMachine machine();

    /** The guest that is being built; null while there is none. */
    @Nullable GuestRestore guest();
  }

  /**
   * {@link IncomingStage#WAITING}.
   *
   * @param asked whether it was asked what it thinks of an offer: only then are there probes
   * @param probedBytes that have come to find out what the way carries
   */
  record Waiting(boolean asked, long probedBytes) implements Incoming {}

  /**
   * {@link IncomingStage#OFFERED}.
   *
   * @param machine that is to receive the guest's; null until it is made
   */
  record Offered(Offer offer, @Nullable TargetMachine machine) implements Incoming {}

  /**
   * {@link IncomingStage#ADMITTED}.
   *
   * @param answer of the machine, for the source's
   */
  record Admitted(Offer offer, TargetMachine machine, ByteBuffer answer) implements Held {
    @Override
    public @Nullable GuestRestore guest() {
      return null;
    }
  }

  /**
   * {@link IncomingStage#RECEIVING}.
   *
   * @param memory takes the pages of the guest's video memory; null when none are sent
   * @param barrier up to which the source knows that all has come
   */
  record Receiving(
      Offer offer,
      TargetMachine machine,
      @Nullable GuestRestore guest,
      @Nullable MemoryTarget memory,
      int barrier)
      implements Held {
    Receiving with(MemoryTarget newMemory, int newBarrier) {
      return new Receiving(offer, machine, guest, newMemory, newBarrier);
    }
  }

  /**
   * {@link IncomingStage#RESTORING}: the machine restores its device by itself, while the guest is
   * built.
   *
   * @param sinceNs when it began
   * @param deviceIsBuilt whether the machine has done its part
   * @param build of the guest
   */
  record Restoring(
      Offer offer,
      TargetMachine machine,
      @Nullable GuestRestore guest,
      long sinceNs,
      boolean deviceIsBuilt,
      Build build)
      implements Held {
    Restoring withDevice() {
      return new Restoring(offer, machine, guest, sinceNs, true, build);
    }

    Restoring with(GuestRestore newGuest, Build newBuild) {
      return new Restoring(offer, machine, newGuest, sinceNs, deviceIsBuilt, newBuild);
    }
  }

  /** The stages of a guest's building. */
  sealed interface Build {
    /** Nothing yet. */
    record Pending() implements Build {}

    /** It is. */
    record Done(GuestRestore guest) implements Build {}

    /**
     * It is, and that is how long it took.
     *
     * @param ns since it was begun to restore
     */
    record Timed(GuestRestore guest, long ns) implements Build {}
  }

  /**
   * {@link IncomingStage#READY}.
   *
   * @param took how long its parts took to restore
   */
  record Ready(Offer offer, TargetMachine machine, GuestRestore guest, RestoreTimes took)
      implements Held {}

  /**
   * The times of a restore, both since it began.
   *
   * @param guestNs until the guest was built
   * @param deviceNs until its machine had restored the device, too
   */
  record RestoreTimes(long guestNs, long deviceNs) {}

  /** {@link IncomingStage#COMMITTING}. */
  record Committing(Offer offer, TargetMachine machine, GuestRestore guest) implements Held {}

  /**
   * {@link IncomingStage#DECIDED}: nothing is thrown away any more.
   *
   * @param channels lets the guest's channels go on
   * @param start lets the machine run, after that
   */
  record Decided(Offer offer, RetriedStep channels, RetriedStep start) implements Incoming {
    /** Lets it go on; whether nothing more is tried. */
    boolean poll(long nowNs) {
      return channels.poll(nowNs) && start.poll(nowNs);
    }

    /** What of it has failed again and again; empty when all goes on. */
    Optional<RetriedStep> failed() {
      return channels.failure().isPresent()
          ? Optional.of(channels)
          : Optional.of(start).filter(step -> step.failure().isPresent());
    }
  }

  /**
   * {@link IncomingStage#RUNNING}.
   *
   * @param stands why it does not go on; null when it does
   */
  record Running(Offer offer, @Nullable Reason stands) implements Incoming {}

  /**
   * {@link IncomingStage#DISCARDED}.
   *
   * @param offer what was offered; null when nothing was
   */
  record Discarded(@Nullable Offer offer, Reason why) implements Incoming {}

  @Override
  default IncomingStage stage() {
    return switch (this) {
      case Waiting _ -> IncomingStage.WAITING;
      case Offered _ -> IncomingStage.OFFERED;
      case Admitted _ -> IncomingStage.ADMITTED;
      case Receiving _ -> IncomingStage.RECEIVING;
      case Restoring _ -> IncomingStage.RESTORING;
      case Ready _ -> IncomingStage.READY;
      case Committing _ -> IncomingStage.COMMITTING;
      case Decided _ -> IncomingStage.DECIDED;
      case Running _ -> IncomingStage.RUNNING;
      case Discarded _ -> IncomingStage.DISCARDED;
    };
  }
}
