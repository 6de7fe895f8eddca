package io.sluice.remoting.host;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.util.List;
import java.util.function.LongSupplier;

/** The answer to a host whose session does not come: why, at its next question. */
final class ArrivalRefusal {
  /** How long the other host may take to say something more. */
  private static final int LAST_WORD_MS = 5_000;

  /** How long all that it still says may take. */
  private static final long MOST_NS = 30_000_000_000L;

  /** What it may say before it asks, or ends. */
  private static final int MOST_ITEMS = 100_000;

  private ArrivalRefusal() {}

  /** Answers what is asked, until the other host ends the stream or says that the session stays. */
  static void tell(StateLink link, String why, LongSupplier nanoTime) {
    try {
      long beganNs = nanoTime.getAsLong();
      link.patience(LAST_WORD_MS);
      StateItem item = link.read();
      for (int i = 0; i < MOST_ITEMS && !(item instanceof StateItem.Stay); i++) {
        if (nanoTime.getAsLong() - beganNs > MOST_NS) {
          return;
        }
        if (item instanceof StateItem.Prepared || item instanceof StateItem.Complete) {
          link.write(new StateItem.Refused(List.of(why)));
          link.flush();
        }
        item = link.read();
      }
    } catch (StateException _) {
      // it has ended the stream
    }
  }
}
