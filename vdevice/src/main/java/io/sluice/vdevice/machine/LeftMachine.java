package io.sluice.vdevice.machine;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.RefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/**
 * A machine whose daemon was killed while it moved it. Its GPU is lost; QEMU would go on to migrate
 * it to nobody, and one that stands still for its last pass waits for ever for a word to go on.
 *
 * <p>Until that word ({@code migrate-continue}) is given nobody else can have been given the
 * machine, so it may run here. After it QEMU ends the migration by itself; one that says {@code
 * completed} may be another host's, and is left standing.
 */
public final class LeftMachine {
  /** Statuses before the word was given. */
  private static final ImmutableSet<String> OURS =
      ImmutableSet.of("setup", "active", "pre-switchover");

  private LeftMachine() {}

  /** What was found. */
  public enum Found {
    /** No machine, or one that somebody else talks to. */
    NONE,
    /** A machine that was not on its way. */
    AT_HOME,
    /** Its migration was given up: it goes on. */
    RELEASED,
    /** It is another host's, or was about to become that. */
    GIVEN_AWAY
  }

  /**
   * Lets a machine go on that a former daemon was moving away. Blocks for its monitor's answers.
   *
   * @param qmp the socket of the machine's monitor
   * @throws RefusedException the monitor answers, but not as it should
   */
  public static Found release(Path qmp, ThreadFactory threads, Duration patience) {
    QemuMachine machine;
    try {
      machine = QemuMachine.connect(qmp, threads, patience);
    } catch (RefusedException _) {
      return Found.NONE;
    }
    try (machine) {
      if (machine.runState().equals("inmigrate")) {
        return Found.AT_HOME;
      }
      String status = machine.migration().status();
      if (OURS.contains(status)) {
        machine.cancelMigration();
        return Found.RELEASED;
      }
      return status.equals("completed") ? Found.GIVEN_AWAY : Found.AT_HOME;
    }
  }
}
