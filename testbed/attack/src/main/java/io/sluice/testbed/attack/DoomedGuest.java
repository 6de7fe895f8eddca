package io.sluice.testbed.attack;

import io.sluice.management.DaemonMXBean;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.OperationsException;

/** A guest that an operator makes for an attack, and destroys while that is on. */
final class DoomedGuest {
  static final String NAME = "doomed";

  /** For whatever comes about in the end. */
  private static final long PATIENCE_S = 180;

  private final DaemonProcess daemon;

  DoomedGuest(DaemonProcess daemon) throws IOException {
    this.daemon = daemon;
    try {
      daemon.connection().daemon().createGuest(NAME, "", 0);
    } catch (OperationsException e) {
      throw new IOException(e);
    }
  }

  Path socket() {
    return daemon.socket(NAME);
  }

  /**
   * Destroys it with whatever it has.
   *
   * @return how long that took
   * @throws IOException the daemon refuses it, or does not come to an end with it
   */
  long destroy() throws IOException, InterruptedException {
    DaemonMXBean operator = daemon.connection().daemon();
    FutureTask<Boolean> destroying =
        new FutureTask<>(() -> {
          operator.destroyGuest(NAME, true);
          return true;
        });
    long begin = System.nanoTime();
    Thread _ = Thread.ofPlatform().daemon().name("destroyer").start(destroying);
    try {
      boolean _ = destroying.get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("its guest is not destroyed: " + e, e);
    }
    return System.nanoTime() - begin;
  }
}
