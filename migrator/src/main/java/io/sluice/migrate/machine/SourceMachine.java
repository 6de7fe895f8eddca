package io.sluice.migrate.machine;

import io.sluice.abi.Iova;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine needs of the machine, or process, that uses the guest, on the source. Everything
 * is asked for and goes on by itself: nothing blocks. One thread calls it, and {@link #poll} at
 * each step; {@link #progress}, which tells how far it is, may be called by any.
 *
 * <pre>
 *   describe → start → allowShortStop → allowStop → (STOPPED) → redirty, holdStill → save
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

  /** A word for the destination's machine ({@code MACHINE} frame); null when there is none. */
  default @Nullable ByteBuffer message() {
    return null;
  }

  /** A word of the destination's machine. */
  default void tell(ByteBuffer message) {}

  /** What the destination's side must know to prepare, for {@link TargetMachine#prepare}. */
  ByteBuffer describe();

  /**
   * Begins to copy the machine's memory while it runs.
   *
   * @param target what {@link TargetMachine#prepare} answered
   */
  void start(ByteBuffer target);

  /** Whether it can {@link #keepBack}. */
  default boolean canStandBy() {
    return false;
  }

  /** How often one that can has looked which of its memory was written, for what it has left. */
  default long passes() {
    return 0;
  }

  /**
   * The machine must not be stopped yet: its GPU works. Once it has little left nothing is taken
   * from it, so that it waits with that, and goes on at the moment in which it is let: with {@link
   * #holdBack}, {@link #allowShortStop} or {@link #forceStop}, which this must not follow; or with
   * {@link #switchOver}, if it has stopped by itself, since it had nothing left for a moment. What
   * is taken of it is bounded by what it said last of what it has left, so that it does not matter
   * how late this host looks.
   *
   * @param bytes that it is to have left; 0 for none, from now on
   * @param stepBytes most bytes that are taken from one look to the next: it passes over pages of
   *     zeros sooner than over what its stream has of them
   */
  default void keepBack(long bytes, long stepBytes) {}

  /**
   * As {@link #keepBack}, of one that cannot, or has too little left: when it is let it goes on
   * within a tenth of a second only. Ends with {@link #goOn}, {@link #allowShortStop} or {@link
   * #forceStop}.
   */
  default void holdBack() {}

  /** It has been held back, and has much to copy again; it must not be stopped yet. */
  default void goOn() {}

  /**
   * While COPYING, and its GPU is drained: has the machine's own processors write to each page that
   * its GPU may have written, which changes nothing, so that they are copied while it runs. What a
   * machine cannot be asked, or does not do, {@link #redirty} does while it stands still.
   */
  default void askToTouch() {}

  /** Whether it has done so, since it was asked last. */
  default boolean hasTouched() {
    return false;
  }

  /** Whether it will not do what it was asked last: it cannot be asked. */
  default boolean cannotTouch() {
    return true;
  }

  /**
   * The machine may now be stopped for its last pass, if that takes next to no time.
   *
   * @param bytesPerSecond what the way to the destination carries: more would only wait in queues;
   *     0 unknown
   */
  default void allowShortStop(long bytesPerSecond) {
    allowStop();
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
   * Bytes of its memory that it has sent and that have not arrived: its last pass comes behind
   * them. 0 when that is not known.
   */
  default long bytesQueued() {
    return 0;
  }

  /** Bytes of its memory that have arrived; sent, when that is not known. */
  default long bytesCarried() {
    return progress().bytesSent();
  }

  /** At most so many bytes, at least 1, are to be queued from now on. */
  default void limitQueue(long bytes) {}

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
  record Blocker(String code, String what, String remedy) {}
}
