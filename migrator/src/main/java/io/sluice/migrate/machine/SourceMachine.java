package io.sluice.migrate.machine;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.Iova;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The machine, or process, that uses the guest on the source, as the engine needs it. Everything is
 * asked for and goes on by itself: nothing blocks. One thread calls it, and {@link #poll} at each
 * step; {@link #progress}, which tells how far it is, may be called by any.
 *
 * <pre>
 *   describe → start → allowStop → (STOPPED) → redirty, holdStill → save
 *     → switchOver → (COMPLETED) → finish
 *        abort, from anywhere before finish: the machine goes on here
 * </pre>
 */
public interface SourceMachine extends AutoCloseable {
  /**
   * What is refused before anything is touched; empty when nothing stands in the way.
   *
   * @return each what blocks, with its remedy
   */
  List<Blocker> blockers();

  /**
   * Whether video memory and control pages themselves change hands, as descriptors, so that nothing
   * need be copied: a process that stays on its host.
   */
  default boolean handsMemoryOver() {
    return false;
  }

  /**
   * Whether who copies the machine's memory asks for itself what the GPU wrote of it: then nobody
   * else does, because to ask is to forget.
   */
  default boolean asksForGuestWrites() {
    return false;
  }

  /**
   * Whether its processors stand still while it is STOPPED, and that is to be short: then video
   * memory is copied once more between the drain and the stop. One that runs on waits for its GPU
   * alone, and the longer if that is copied twice.
   */
  default boolean standsStill() {
    return false;
  }

  /** The program that runs it, with its version; empty for a process. */
  default String program() {
    return "";
  }

  /**
   * A word for the destination's machine ({@code MACHINE} frame), once; null when there is none.
   */
  default @Nullable ByteBuffer pollMessage() {
    return null;
  }

  /** What the destination's side must know to prepare, for {@link TargetMachine#prepare}. */
  ByteBuffer describe();

  /**
   * Begins to copy the machine's memory while it runs.
   *
   * @param target what {@link TargetMachine#prepare} answered
   */
  void start(ByteBuffer target);

  /** How it is brought to its stop. */
  default LiveMachine live() {
    return new WaitingMachine(this);
  }

  /** The machine may now be stopped for its last pass, as soon as it is near enough. */
  void allowStop();

  /** The machine is to be stopped now, whatever is left to copy: the operator forces it. */
  void forceStop();

  /** Looks how far it is, as often as that is worth it; {@link #progress} tells what was seen. */
  default void poll() {}

  /** Where it stands. */
  MachineProgress progress();

  /**
   * When {@link #progress} is FAILED: whether nothing is known here but that it is, or that the way
   * of its memory has ended. The destination, whose machine may have ended that, may know why.
   */
  default boolean destinationMayKnowWhy() {
    return false;
  }

  /**
   * While STOPPED: makes the machine's last pass carry guest memory that the GPU wrote.
   *
   * @param pages ranges of guest memory, whole pages
   * @return false while that still goes on: call again, with no further ranges, when woken
   */
  boolean redirty(List<PageRange> pages);

  /**
   * While STOPPED: no call of the guest begins any more, and what {@link #save} needs is asked for.
   * Only then is the guest's own state taken, as a call would change that.
   *
   * @return false while a call still runs, or the machine has not answered: call again when woken
   */
  default boolean holdStill() {
    return true;
  }

  /**
   * Once held still, or for a process while it is not served: the virtual device as the
   * destination's side restores it, in parts of at most a section.
   */
  List<ByteBuffer> save();

  /** While STOPPED: the last pass, to COMPLETED. */
  void switchOver();

  /** The machine goes on here; from any state before {@link #finish}. */
  void abort();

  /**
   * After {@link #abort}: whether nothing that was begun before writes guest memory any more, so
   * that the GPU may. The machine itself goes on after that.
   */
  default boolean isSettled() {
    return true;
  }

  /** After {@link #abort}: whether the machine goes on, or is known not to be able to. */
  default boolean hasGoneOn() {
    return true;
  }

  /** The guest is the destination's for good: the machine here ends. */
  void finish();

  /** The API sessions that move with it, once it is {@link #save}d. */
  default MovedSessions sessions() {
    return MovedSessions.NONE;
  }

  /** Who is to be woken when {@link #progress} has changed; called by any thread. */
  void setWaker(Runnable waker);

  /** Lets go of the machine, which is left as it is. */
  @Override
  void close();

  /**
   * @param start bus address of the first page
   * @param bytes length
   */
  record PageRange(Iova start, long bytes) {}

  /**
   * @param code stable code
   * @param what what blocks and why
   * @param remedy what to do about it
   */
  record Blocker(String code, String what, String remedy) {
    /** One of our errors. */
    public Blocker(ErrorEntry error, String what, String remedy) {
      this(error.code(), what, remedy);
    }
  }
}
