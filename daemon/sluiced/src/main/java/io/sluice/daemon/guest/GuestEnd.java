package io.sluice.daemon.guest;

import io.sluice.daemon.runtime.CauseText;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a guest, which may take long: its client may have left what cannot be closed. What
 * fails of it is told, and keeps nothing else from its end: neither the rest of the guest, nor
 * other guests.
 */
final class GuestEnd {
  private static final Logger LOG = LoggerFactory.getLogger(GuestEnd.class);

  private final GuestHost guest;
  private final List<String> left = new ArrayList<>();

  private GuestEnd(GuestHost guest) {
    this.guest = guest;
  }

  /** A part of it. */
  private interface Ending {
    void run() throws IOException;
  }

  /**
   * Ends a guest that is in no table any more.
   *
   * @param observer told when it is gone
   * @return what failed, in words
   */
  static List<String> of(GuestHost guest, GuestTable.Observer observer) {
    GuestEnd end = new GuestEnd(guest);
    String name = guest.settings().name();
    end.attempt(guest::close);
    end.attempt(() -> guest.gpu().shares().remove(name));
    end.attempt(() -> guest.gpu().slots().forget(name));
    end.attempt(() -> observer.onDestroyed(guest));
    return end.left;
  }

  private void attempt(Ending part) {
    try {
      part.run();
    } catch (IOException | RuntimeException | Error e) {
      left.add(CauseText.of(e));
      LOG.atError()
          .addKeyValue("guest", guest.settings().name())
          .setCause(e)
          .log("something of a guest is left behind");
    }
  }

  /** The guest is gone, but for what failed. */
  static void require(String name, List<String> left) throws OperationsException {
    if (!left.isEmpty()) {
      throw Problem.of(
              ErrorCode.GUEST_LEFT,
              "guest \"" + name + "\" is destroyed, but not all of it",
              String.join("; ", left),
              ErrorCode.GUEST_LEFT.remedy())
          .exception();
    }
  }
}
