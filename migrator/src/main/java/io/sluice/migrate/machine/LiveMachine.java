package io.sluice.migrate.machine;

/**
 * The part of a {@link SourceMachine} by which one that copies its memory while it runs is brought
 * to its stop: it is held back while its GPU works, stopped when little is left, and its stream
 * waits for little. All of it belongs to COPYING, and is called by the engine's thread.
 *
 * <pre>
 *   keepBack, holdBack, goOn, approachStop … → allowShortStop → SourceMachine.allowStop or forceStop
 * </pre>
 */
public interface LiveMachine {
  /** Whether it can {@link #keepBack}; may be known only a while after the start. */
  boolean canStandBy();

  /** How often one that can has looked which of its memory was written, for what it has left. */
  long passes();

  /**
   * The machine must not be stopped yet: its GPU works. Once it has little left nothing is taken
   * from it, so that it waits with that, and goes on at the moment in which it is let: with {@link
   * #holdBack}, {@link #allowShortStop} or {@link SourceMachine#forceStop}, which this must not
   * follow; or with {@link SourceMachine#switchOver}, if it has stopped by itself, since it had
   * nothing left for a moment. What is taken of it is bounded by what it said last of what it has
   * left, so that it does not matter how late this host looks.
   *
   * @param bytes that it is to have left; 0 for none, from now on
   * @param stepBytes most bytes that are taken from one look to the next: it passes over pages of
   *     zeros sooner than over what its stream has of them
   */
  void keepBack(long bytes, long stepBytes);

  /**
   * As {@link #keepBack}, of one that cannot, or has too little left: when it is let it goes on
   * within a tenth of a second only. Ends with {@link #goOn}, {@link #allowShortStop} or {@link
   * SourceMachine#forceStop}.
   */
  void holdBack();

  /** It has been held back, and has much to copy again; it must not be stopped yet. */
  void goOn();

  /**
   * It has little left: nothing that takes long is to keep it from its stop, once access to its GPU
   * was taken back.
   */
  default void approachStop() {}

  /** Whether nothing does, since it was told so. */
  default boolean isStopPrepared() {
    return true;
  }

  /**
   * The machine may now be stopped for its last pass, if that takes next to no time.
   *
   * @param bytesPerSecond what the way to the destination carries: more would only wait in queues;
   *     0 unknown
   */
  void allowShortStop(long bytesPerSecond);

  /**
   * Its GPU is drained: has the machine's own processors write to each page that its GPU may have
   * written, which changes nothing, so that they are copied while it runs. What a machine cannot be
   * asked, or does not do, {@link SourceMachine#redirty} does while it stands still.
   */
  void askToTouch();

  /** Whether it has done so, since it was asked last. */
  boolean hasTouched();

  /** Whether it will not do what it was asked last: it cannot be asked. */
  boolean cannotTouch();

  /**
   * Bytes of its memory that it has sent and that have not arrived: its last pass comes behind
   * them. 0 when that is not known.
   */
  long bytesQueued();

  /** Bytes of its memory that have arrived; sent, when that is not known. */
  long bytesCarried();

  /** At most so many bytes, at least 1, are to be queued from now on. */
  void limitQueue(long bytes);
}
