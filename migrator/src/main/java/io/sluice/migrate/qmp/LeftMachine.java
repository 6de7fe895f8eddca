package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A machine whose daemon was killed while it moved it. Its GPU is lost; QEMU would go on to migrate
 * it to nobody, and one that stands still for its last pass waits for ever for a word to go on.
 *
 * <p>Until that word ({@code migrate-continue}) is given nobody else can have been given the
 * machine, so it may run here. After it QEMU ends the migration by itself, as its stream went
 * through the daemon; one that says {@code completed}, and stands still for that, may be another
 * host's: who knows whose it is says {@link #goOn} or {@link #end}.
 */
public final class LeftMachine {
  /** Statuses before the word was given. */
  private static final ImmutableSet<String> OURS =
      ImmutableSet.of("setup", "active", "pre-switchover");

  /** Statuses that QEMU leaves by itself. */
  private static final ImmutableSet<String> PASSING =
      ImmutableSet.of("device", "failing", "cancelling");

  /** How a machine stands still that has sent everything; one that went on since is its own. */
  private static final ImmutableSet<String> STANDING =
      ImmutableSet.of("finish-migrate", "postmigrate");

  private static final Logger LOG = LoggerFactory.getLogger(LeftMachine.class);

  private LeftMachine() {}

  /** The finding. */
  public enum Found {
    /** No machine. */
    NONE,
    /** A machine that was not on its way. */
    AT_HOME,
    /** Its migration was given up: it goes on. */
    RELEASED,
    /** Its migration is just ending, well or badly: look again. */
    ENDING,
    /** It has sent everything and stands still: another host's, or it was about to become that. */
    GIVEN_AWAY,
    /** It has received everything, or sent it earlier, and was paused, or has never run here. */
    ARRIVED
  }

  /**
   * Lets a machine go on that a former daemon was moving away, when it can only be ours. Blocks for
   * its monitor's answers.
   *
   * @param qmp the socket of the machine's monitor
   * @throws RefusedException the monitor does not answer, or not as it should
   */
  public static Found release(Path qmp, ThreadFactory threads, Duration patience) {
    return look(qmp, threads, patience, Found.NONE, _ -> {});
  }

  /**
   * Lets a machine that stands still go on: nobody else has it, nor ever will.
   *
   * @return what was found; only {@link Found#GIVEN_AWAY} goes on by this
   */
  public static Found goOn(Path qmp, ThreadFactory threads, Duration patience) {
    return look(qmp, threads, patience, Found.GIVEN_AWAY, LeftMachine::goOn);
  }

  /**
   * Ends a machine that stands still: it runs elsewhere.
   *
   * @return what was found; only {@link Found#GIVEN_AWAY} is ended
   */
  public static Found end(Path qmp, ThreadFactory threads, Duration patience) {
    return look(qmp, threads, patience, Found.GIVEN_AWAY, QemuMachine::quit);
  }

  /**
   * Lets a machine run that has come, as its daemon was about to when it died.
   *
   * @return what was found; only {@link Found#ARRIVED} goes on by this
   */
  public static Found begin(Path qmp, ThreadFactory threads, Duration patience) {
    return look(qmp, threads, patience, Found.ARRIVED, QemuMachine::resume);
  }

  /**
   * @param decided done to a machine that is found like this
   */
  private static Found look(
      Path qmp,
      ThreadFactory threads,
      Duration patience,
      Found like,
      Consumer<QemuMachine> decided) {
    QemuMachine machine;
    try {
      machine = QemuMachine.connect(qmp, threads, patience);
    } catch (RefusedException e) {
      if (e.errno() == Errno.ECONNREFUSED) {
        return Found.NONE;
      }
      throw e;
    }
    try (machine) {
      String runState = machine.runState();
      String status = runState.equals("inmigrate") ? "" : machine.migration().status();
      Found found = find(runState, status);
      if (found == Found.RELEASED) {
        machine.cancelMigration();
      } else if (found == like) {
        decided.accept(machine);
      }
      if (found == Found.RELEASED || QemuMachine.ENDED_BADLY.contains(status)) {
        forgetHoldBack(machine);
      }
      return found;
    }
  }

  private static void goOn(QemuMachine machine) {
    machine.resume();
    forgetHoldBack(machine);
  }

  /** It goes on as it is: only its next migration would be none the better for it. */
  private static void forgetHoldBack(QemuMachine machine) {
    try {
      machine.forgetHoldBack();
    } catch (RefusedException e) {
      LOG.atWarn().log("a machine keeps the limits of a former migration: {}", e.getMessage());
    }
  }

  /**
   * @param status of its own migration; empty of a machine that waits for another one
   */
  private static Found find(String runState, String status) {
    if (OURS.contains(status)) {
      return Found.RELEASED;
    }
    if (PASSING.contains(status)) {
      return Found.ENDING;
    }
    if (!status.equals("completed")) {
      return Found.AT_HOME;
    }
    if (STANDING.contains(runState)) {
      return Found.GIVEN_AWAY;
    }
    return runState.equals("paused") ? Found.ARRIVED : Found.AT_HOME;
  }
}
