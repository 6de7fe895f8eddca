package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableSet;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The last words of a machine's events, for threads that wait for it. */
final class MachineEvents {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private String migration = MigrationProgress.NONE;

  @GuardedBy("lock")
  private long stops;

  @GuardedBy("lock")
  private long resumes;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private Runnable listener = () -> {};

  /** Takes an event; called by the receiving thread. */
  void accept(QmpEvent event) {
    Runnable tell;
    lock.lock();
    try {
      switch (event.name()) {
        case "MIGRATION" -> migration = event.data().text("status").orElse(migration);
        case "STOP" -> stops++;
        case "RESUME" -> resumes++;
        case QmpClient.ENDED -> ended = true;
        default -> {}
      }
      changed.signalAll();
      tell = listener;
    } finally {
      lock.unlock();
    }
    tell.run();
  }

  /** Has someone called, by the receiving thread, after every event. */
  void setListener(Runnable newListener) {
    lock.lock();
    try {
      listener = newListener;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the status of an earlier migration. */
  void beginMigration() {
    lock.lock();
    try {
      migration = MigrationProgress.NONE;
    } finally {
      lock.unlock();
    }
  }

  /** The status that was told last. */
  String migration() {
    lock.lock();
    try {
      return migration;
    } finally {
      lock.unlock();
    }
  }

  /** How often the machine was said to go on. */
  long resumes() {
    lock.lock();
    try {
      return resumes;
    } finally {
      lock.unlock();
    }
  }

  /** How often the machine was said to stop. */
  long stops() {
    lock.lock();
    try {
      return stops;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for one of some statuses of the migration.
   *
   * @return the one that it is
   * @throws RefusedException ETIMEDOUT; ENOTCONN when the monitor is gone
   */
  String awaitMigration(ImmutableSet<String> wanted, Duration timeout, String socket) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (!wanted.contains(migration)) {
        if (ended) {
          throw QmpFailure.lost(socket);
        }
        if (left <= 0) {
          throw new RefusedException(
              QmpCode.TOO_SLOW,
              Errno.ETIMEDOUT,
              "QEMU's migration did not get that far in time, status="
                  + migration
                  + ", wanted="
                  + wanted,
              "");
        }
        left = changed.awaitNanos(left);
      }
      return migration;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw QmpFailure.timeout(socket, "migration status " + wanted);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the machine was said to go on more often than a number of times.
   *
   * @return whether it was, in time
   */
  boolean awaitResume(long before, Duration timeout) {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (resumes <= before && !ended && left > 0) {
        left = changed.awaitNanos(left);
      }
      return resumes > before;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }
}
