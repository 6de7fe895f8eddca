package io.sluice.daemon;

import io.sluice.abi.RefusedException;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.vdevice.machine.LeftMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a daemon does when it starts for machines that a predecessor was killed with on their way:
 * they have lost their GPU, but shall go on.
 */
final class LeftMachines implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LeftMachines.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final List<GuestSettings> guests;
  private final ThreadFactory threads;

  LeftMachines(List<GuestSettings> guests, ThreadFactory threads) {
    this.guests = List.copyOf(guests);
    this.threads = threads;
  }

  /** Removes the sockets of its migrations: before the first of this daemon begins. */
  void removeSockets() {
    for (GuestSettings guest : guests) {
      for (String ending : List.of(HostRoute.OUT, HostRoute.IN)) {
        Path left = HostRoute.beside(guest.qmp(), ending);
        try {
          Files.deleteIfExists(left);
        } catch (IOException e) {
          LOG.atWarn().setCause(e).log("a socket of a former migration is left behind");
        }
      }
    }
  }

  @Override
  public void run() {
    for (GuestSettings guest : guests) {
      if (Files.exists(guest.qmp())) {
        look(guest);
      }
    }
  }

  private void look(GuestSettings guest) {
    try {
      switch (LeftMachine.release(guest.qmp(), threads, PATIENCE)) {
        case NONE, AT_HOME -> {}
        case RELEASED ->
            LOG.atWarn()
                .addKeyValue("guest", guest.name())
                .log(
                    "a machine whose migration ended with the former daemon goes on, without its"
                        + " GPU");
        case GIVEN_AWAY ->
            LOG.atError()
                .addKeyValue("guest", guest.name())
                .log(
                    "a machine stands still that the former daemon was giving away: see whether its"
                        + " destination runs it (sluicectl migration status there), then end it");
      }
    } catch (RefusedException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest.name())
          .log("a machine does not answer: {}", e.getMessage());
    }
  }
}
