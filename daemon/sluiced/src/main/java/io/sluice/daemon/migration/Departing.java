package io.sluice.daemon.migration;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.Problem;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last migration, checkpoint or restore of each guest that had one: at most one at a time.
 * Those before it are remembered by their ids.
 */
final class Departing {
  private static final Logger LOG = LoggerFactory.getLogger(Departing.class);

  /** Longer than a step of a machine that answers takes. */
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private final GuestTable guests;
  private final ThreadFactory threads;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<String, OutgoingMigration> migrations = new TreeMap<>();

  @GuardedBy("lock")
  private final Map<String, RestoringGuest> restores = new TreeMap<>();

  @GuardedBy("lock")
  private final FormerOperations former = new FormerOperations();

  Departing(GuestTable guests, ThreadFactory threads) {
    this.guests = guests;
    this.threads = threads;
  }

  /**
   * Begins a migration of a guest, in a thread of its own, unless it moves already.
   *
   * @param failed what an error says could not be done
   * @param maker makes the migration once it is known that it may begin
   * @param link what is closed when it does not
   */
  OutgoingMigration begin(
      String failed, Guest guest, Supplier<OutgoingMigration> maker, AutoCloseable link)
      throws OperationsException {
    OutgoingMigration migration = null;
    boolean begun = false;
    lock.lock();
    try {
      GuestHost host = guests.all().get(guest.name());
      if (host != null && host.device().isMovedByClient()) {
        throw Problem.of(
                ErrorCode.MIGRATION_BUSY,
                failed,
                "its client moves it by VFIO's migration protocol",
                "wait for it")
            .exception();
      }
      requireIdle(failed, guest.name());
      requireResumed(failed, host);
      migration =
          make(
              failed,
              () -> {
                if (host != null) {
                  host.device().requireMovable();
                }
                return maker.get();
              });
      OutgoingMigration before = start("-migration", guest.name(), migration, migrations);
      begun = true;
      if (before != null) {
        former.add(before.view());
      }
      return migration;
    } finally {
      lock.unlock();
      if (!begun) {
        closeQuietly(link);
        if (migration != null) {
          closeQuietly(migration::release);
        }
      }
    }
  }

  /** Begins to make a guest of a file, in a thread of its own, unless it moves already. */
  String begin(String failed, String guest, RestoringGuest restore) throws OperationsException {
    lock.lock();
    try {
      requireIdle(failed, guest);
      RestoringGuest before = start("-restore", guest, restore, restores);
      if (before != null) {
        former.add(before.view());
      }
      return restore.id();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts the thread of one. Where there is none left it is as if it had never been: it would not
   * come to an end, and its guest be busy for good.
   *
   * @param ending of the thread's name
   * @return the guest's last one before it, if it had any
   */
  private <T extends Runnable> @Nullable T start(
      String ending, String guest, T work, Map<String, T> all) {
    T before = all.put(guest, work);
    boolean begun = false;
    try {
      Thread thread = threads.newThread(work);
      thread.setName("sluice-" + guest + ending);
      thread.start();
      begun = true;
    } finally {
      if (!begun && before != null) {
        all.put(guest, before);
      } else if (!begun) {
        all.remove(guest);
      }
    }
    return before;
  }

  /** What is suspended does not come to the end that a move waits for. */
  private static void requireResumed(String failed, @Nullable GuestHost host)
      throws OperationsException {
    if (host != null && host.isSuspended()) {
      throw Problem.of(
              ErrorCode.MIGRATION_BLOCKED,
              failed,
              "it is suspended",
              "let it go on: sluicectl guest resume " + host.settings().name())
          .exception();
    }
  }

  private void requireIdle(String failed, String guest) throws OperationsException {
    if (isMoving(guest)) {
      throw Problem.of(
              ErrorCode.MIGRATION_BUSY,
              failed,
              "it is being moved, written to a file, or made of one already",
              "wait for it, or give it up: sluicectl migration abort " + guest)
          .exception();
    }
  }

  private static OutgoingMigration make(String failed, Supplier<OutgoingMigration> maker)
      throws OperationsException {
    try {
      return maker.get();
    } catch (SluiceException e) {
      throw Problem.of(ErrorCode.MIGRATION_BLOCKED, failed, e.what(), e.remedy()).exception();
    }
  }

  private static void closeQuietly(AutoCloseable link) {
    try {
      link.close();
    } catch (Exception e) {
      LOG.atDebug().setCause(e).log("a link did not close");
    }
  }

  /** Whether a guest has a migration, checkpoint or restore that is not over. */
  boolean isMoving(String guest) {
    return isLeaving(guest) || restoring(guest).isPresent();
  }

  /** Whether a guest has a migration or checkpoint that is not over. */
  boolean isLeaving(String guest) {
    lock.lock();
    try {
      OutgoingMigration migration = migrations.get(guest);
      return migration != null && !migration.isOver();
    } finally {
      lock.unlock();
    }
  }

  private Optional<RestoringGuest> restoring(String guest) {
    lock.lock();
    try {
      return Optional.ofNullable(restores.get(guest)).filter(restore -> !restore.isOver());
    } finally {
      lock.unlock();
    }
  }

  /** The last restore of each guest that had one. */
  List<RestoringGuest> restores() {
    lock.lock();
    try {
      return List.copyOf(restores.values());
    } finally {
      lock.unlock();
    }
  }

  /** What others of the same guests came after. */
  List<MigrationStatusView> former() {
    lock.lock();
    try {
      return former.all().toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up what a guest has, unless it is too late.
   *
   * @param id of what is meant; empty for whatever it is
   */
  void abort(String failed, String guest, String id, Reason why) throws OperationsException {
    Optional<RestoringGuest> restoring = restoring(guest);
    if (restoring.isPresent()) {
      requireMeant(failed, id, restoring.get().id());
      if (!restoring.get().abort(why)) {
        throw tooLate(failed, restoring.get().phase());
      }
      return;
    }
    OutgoingMigration migration = running(failed, guest);
    requireMeant(failed, id, migration.id());
    if (!migration.source().phase().canAbort()) {
      throw tooLate(failed, migration.source().phase().label());
    }
    migration.source().abort(why);
  }

  private static void requireMeant(String failed, String id, String running)
      throws OperationsException {
    if (!id.isEmpty() && !id.equals(running)) {
      throw Problem.of(
              ErrorCode.MIGRATION_PHASE,
              failed,
              id + " is over, and another one is under way: " + running,
              "see sluicectl migration status")
          .exception();
    }
  }

  private static OperationsException tooLate(String failed, String phase) {
    return Problem.of(
            ErrorCode.MIGRATION_PHASE,
            failed,
            "it is too late, phase=" + phase,
            "see sluicectl migration status")
        .exception();
  }

  /** The last one of each guest. */
  Map<String, OutgoingMigration> all() {
    lock.lock();
    try {
      return new TreeMap<>(migrations);
    } finally {
      lock.unlock();
    }
  }

  /** A guest's last one, over or not. */
  OutgoingMigration last(String failed, String guest) throws OperationsException {
    OutgoingMigration migration = all().get(guest);
    if (migration == null) {
      throw Problem.of(
              ErrorCode.MIGRATION_UNKNOWN,
              failed,
              "it has not been moved since the daemon started",
              "see sluicectl migration status")
          .exception();
    }
    return migration;
  }

  /** A guest's last one, which is not over. */
  OutgoingMigration running(String failed, String guest) throws OperationsException {
    OutgoingMigration migration = last(failed, guest);
    if (migration.isOver()) {
      throw Problem.of(
              ErrorCode.MIGRATION_PHASE,
              failed,
              "it is over, phase=" + migration.source().phase().label(),
              "see sluicectl migration report " + guest)
          .exception();
    }
    return migration;
  }

  /** Gives up what can be given up. Waits for that, but for guests that are not ours to decide. */
  void giveUp(Reason why) {
    for (OutgoingMigration migration : List.copyOf(all().values())) {
      migration.source().abort(why);
      if (migration.source().phase() != Phase.COMMIT) {
        // One whose machine is frozen ends when the device does.
        migration.awaitOver(STOP_PATIENCE);
      }
    }
    for (RestoringGuest restore : restores()) {
      boolean _ = restore.abort(why);
      restore.awaitOver(STOP_PATIENCE);
    }
  }
}
