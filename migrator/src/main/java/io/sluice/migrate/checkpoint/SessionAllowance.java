package io.sluice.migrate.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;

/**
 * The bytes that the sessions of a file may send into it, all together: whoever sends them is a
 * guest's process and could go on for ever. Its objects are limited by the guest's memory of
 * sessions, but a content goes again each time it has changed.
 */
public final class SessionAllowance {
  /** A content goes in six rounds at most while its application runs, and then once more. */
  private static final int COPIES_ALONE = 8;

  /** With a machine it goes as often as it changes, until the machine stops. */
  private static final int COPIES_WITH_MACHINE = 64;

  /** What is no content of an object: calls, programs, words. */
  private static final long OTHER_BYTES = 1L << 30;

  private final long mostBytes;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private long bytes;

  SessionAllowance(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * That of one session by itself.
   *
   * @param memoryBytes most memory of the objects of its guest's sessions
   */
  public static SessionAllowance ofOne(long memoryBytes) {
    return of(memoryBytes, COPIES_ALONE);
  }

  /** As {@link #ofOne}, of all those of a machine. */
  public static SessionAllowance withMachine(long memoryBytes) {
    return of(memoryBytes, COPIES_WITH_MACHINE);
  }

  private static SessionAllowance of(long memoryBytes, int copies) {
    long most = (Long.MAX_VALUE - OTHER_BYTES) / copies;
    return new SessionAllowance(OTHER_BYTES + copies * Math.min(memoryBytes, most));
  }

  /**
   * Takes some bytes of it, by any thread.
   *
   * @throws RefusedException when so many are not left
   */
  void take(long some) {
    synchronized (lock) {
      if (some > mostBytes - bytes) {
        throw new RefusedException(
            CheckpointCode.SESSION_BYTES,
            Errno.EFBIG,
            "the API sessions send more than a file may have of them, bytes=" + mostBytes,
            "Stop the program that writes so much, or give the guest's sessions more memory.");
      }
      bytes += some;
    }
  }
}
