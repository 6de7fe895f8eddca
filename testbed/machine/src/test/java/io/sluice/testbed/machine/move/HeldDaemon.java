package io.sluice.testbed.machine.move;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.machine.BoundedWait;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.Machines;
import io.sluice.testbed.machine.support.Processes;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A daemon as one side of migrations: it can be held in a phase, killed, stopped and started anew,
 * and must not hold more after a migration than after the first.
 */
public abstract class HeldDaemon implements AutoCloseable {
  public static final Duration PATIENCE = Machines.PATIENCE;
  private static final int SETTLE_STEP_MS = 100;

  private final String guest;
  private final String address;
  private final int settleSteps;
  private @Nullable DaemonProcess daemon;
  private @Nullable PhaseStop stop;
  private @Nullable Holdings empty;
  private @Nullable Holdings attached;

  /**
   * @param guest that comes and goes
   * @param address of the daemon's network
   * @param linger how long after a migration something of it may be held yet
   */
  public HeldDaemon(String guest, String address, Duration linger) {
    this.guest = guest;
    this.address = address;
    settleSteps = (int) (linger.toMillis() / SETTLE_STEP_MS);
  }

  /** Starts the process, with an option for its JVM. */
  public abstract DaemonProcess start(String jvmOption) throws IOException, InterruptedException;

  /** Starts it unless it runs. */
  public final void ensure() throws IOException, InterruptedException {
    if (daemon == null) {
      DaemonProcess started = start(PhaseStop.jvmOption(address));
      daemon = started;
      stop = PhaseStop.attach(started, address);
    }
  }

  public final boolean isAlive() {
    return daemon != null;
  }

  public final DaemonProcess daemon() {
    DaemonProcess running = daemon;
    if (running == null) {
      throw new IllegalStateException("it was killed");
    }
    return running;
  }

  public final PhaseStop stop() {
    PhaseStop running = stop;
    if (running == null) {
      throw new IllegalStateException("it was killed");
    }
    return running;
  }

  public final MigrationsMXBean migrations() {
    return daemon().connection().migrations();
  }

  /** Its side of the last migration. */
  public final MigrationStatusView view() {
    MigrationStatusView view = migrations().getMigrations().get(guest);
    if (view == null) {
      throw new AssertionError("no migration");
    }
    return view;
  }

  public final void signal(String name) throws IOException, InterruptedException {
    Processes.signal(daemon().pid(), name);
  }

  /** As a crash would. Its successor opens its files anew. */
  public final void killDaemon() throws IOException, InterruptedException {
    DaemonProcess running = daemon();
    PhaseStop released = stop();
    daemon = null;
    stop = null;
    empty = null;
    attached = null;
    running.kill();
    released.close();
    running.close();
  }

  /** The guest has left it, or never came: it holds nothing of it. */
  public final void checkLeft() throws IOException, InterruptedException {
    Daemons.awaitGone(daemon(), guest);
    empty = check(empty, "without a client");
  }

  /** The guest is here: nothing is held of the way it came, or was to go. */
  public final void checkServing() throws IOException, InterruptedException {
    attached = check(attached, "with a client");
  }

  /** No more than after the first migration, which opens what is kept for all. */
  private Holdings check(@Nullable Holdings before, String when)
      throws IOException, InterruptedException {
    if (before == null) {
      return settled();
    }
    new BoundedWait(PATIENCE, Duration.ofMillis(SETTLE_STEP_MS))
        .until(
            "no more held " + when + " than " + before,
            () -> {
              Holdings now = holdings();
              return now.descriptors() <= before.descriptors()
                  && now.mappings() <= before.mappings();
            });
    return before;
  }

  /**
   * The least that is held for as long as something may linger. Nothing says that the last of it is
   * gone, and a look too early makes {@link #check} milder, never fail.
   */
  private Holdings settled() throws IOException, InterruptedException {
    Holdings least = holdings();
    for (int i = 0; i < settleSteps; i++) {
      Thread.sleep(SETTLE_STEP_MS);
      Holdings now = holdings();
      least =
          new Holdings(
              Math.min(least.descriptors(), now.descriptors()),
              Math.min(least.mappings(), now.mappings()));
    }
    return least;
  }

  private Holdings holdings() throws IOException {
    return Holdings.of(daemon().pid());
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (daemon != null) {
      stop().close();
      daemon().close();
      daemon = null;
    }
  }
}
