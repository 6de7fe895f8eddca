package io.sluice.migrate.qemu;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationCode;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The insistence that a machine runs, or ends, once that is decided. One that is frozen just then
 * does not answer, and would stand for ever if it were asked once: nobody else will. The same holds
 * when this host has no memory left for a moment.
 */
final class MachineStart {
  /** Each as long as patience lasts. */
  static final int ATTEMPTS = 30;

  private static final long PAUSE_NS = 100_000_000L;

  private MachineStart() {}

  /**
   * Asks until there is an answer.
   *
   * @param cont asks once, and says with ETIMEDOUT that nobody answered
   * @param notYet told of each time that nobody did
   * @throws RefusedException it does not want to, or has not answered for all that time
   * @throws Error when it fails so again and again
   */
  static void insist(Runnable cont, Consumer<RefusedException> notYet) {
    for (int attempt = 1; ; attempt++) {
      try {
        cont.run();
        return;
      } catch (RefusedException e) {
        if (e.errno() != Errno.ETIMEDOUT || attempt == ATTEMPTS) {
          throw e;
        }
        notYet.accept(e);
      } catch (Error e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }

  /** What was thrown and is none of our errors, as one of them. */
  static RefusedException unforeseen(Throwable why) {
    return new RefusedException(
        MigrationCode.UNFORESEEN, Errno.EIO, "something failed that nobody foresaw: " + why, "");
  }
}
