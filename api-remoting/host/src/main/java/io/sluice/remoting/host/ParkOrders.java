package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.Order.Park;
import io.sluice.remoting.control.Order.Unpark;
import io.sluice.remoting.park.ParkedSession;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The orders about sessions that wait in files. Each is carried out on a thread of its own, which
 * tells the daemon when it is done, or why it is not, whatever that is.
 */
final class ParkOrders {
  private static final String FULL = "there are as many sessions as there may be";

  private final SessionSettings settings;
  private final SessionTable table;
  private final Consumer<HostMessage> tell;

  /**
   * @param tell hears of stages and results, from any thread
   */
  ParkOrders(SessionSettings settings, SessionTable table, Consumer<HostMessage> tell) {
    this.settings = settings;
    this.table = table;
    this.tell = tell;
  }

  /**
   * Holds the application of a session that goes into a file.
   *
   * @param leaves to the host that it leaves, owned
   * @param file to whoever writes it, owned
   */
  void park(Park order, Fd leaves, Fd file) {
    start(
        order.id(),
        List.of(leaves, file),
        () -> {
          try (StateLink from = new StateLink(settings.kernel(), leaves);
              StateLink to = new StateLink(settings.kernel(), file)) {
            if (!table.takePlace()) {
              not(order.id(), FULL);
              ArrivalRefusal.tell(from, FULL, settings.nanoTime());
              return;
            }
            try {
              park(order, from, to);
            } finally {
              table.givePlace();
            }
          }
        });
  }

  private void park(Park order, StateLink from, StateLink file) {
    ParkedSession parked = null;
    try {
      parked = ParkedSession.begin(settings, from, file);
      parked.awaitGo(from, file);
    } catch (StateException | RuntimeException | Error refused) {
      if (parked != null) {
        parked.close();
      }
      not(order.id(), String.valueOf(refused.getMessage()));
      return;
    }
    from.end();
    file.end();
    table.serveArrived(
        order.session(),
        new PeerCredentials(order.pid(), order.uid(), -1),
        order.sinceMs(),
        new ParkedApplication(parked, order.key()),
        () -> tell.accept(new Moved(order.id(), "", List.of(), 0, 0, 0)));
  }

  /**
   * Has another host make a session again that is in a file.
   *
   * @param to to that host, owned
   * @param file to whoever reads it, owned
   */
  void unpark(Unpark order, Fd to, Fd file) {
    start(
        order.id(),
        List.of(to, file),
        () -> {
          try (StateLink link = new StateLink(settings.kernel(), to);
              StateLink from = new StateLink(settings.kernel(), file)) {
            if (table.application(order.session()) instanceof ParkedApplication parked) {
              tell.accept(
                  parked.leave(
                      order,
                      link,
                      from,
                      stage ->
                          tell.accept(
                              new Moving(order.session(), stage.name().toLowerCase(Locale.ROOT)))));
            } else {
              not(order.id(), "it is in no file");
            }
          }
        });
  }

  private void not(long id, String why) {
    tell.accept(Moved.not(id, why, List.of()));
  }

  /**
   * @param streams closed when the work is done
   */
  private void start(long id, List<Fd> streams, Runnable work) {
    boolean started = false;
    try {
      settings
          .threads()
          .newThread(() -> {
            try {
              work.run();
            } catch (RuntimeException | Error e) { // the daemon waits for a word
              not(id, String.valueOf(e.getMessage()));
              throw e;
            } finally {
              streams.forEach(Fd::close);
            }
          })
          .start();
      started = true;
    } finally {
      if (!started) {
        streams.forEach(Fd::close);
      }
    }
  }
}
