package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.util.List;
import java.util.function.Consumer;

/**
 * The orders about sessions that live on another machine than their application: this host is the
 * near end of one, or the far end. Each is carried out on a thread of its own.
 */
final class FarOrders {
  private static final String FULL = "there are as many sessions as there may be";
  private static final int NO_PROCESS = 0;
  private static final int NOBODY = -1;

  private final SessionSettings settings;
  private final String devices;
  private final SessionTable table;
  private final Consumer<HostMessage> tell;

  /**
   * @param devices names of those that sessions have
   * @param tell hears of results, from any thread
   */
  FarOrders(
      SessionSettings settings, String devices, SessionTable table, Consumer<HostMessage> tell) {
    this.settings = settings;
    this.devices = devices;
    this.table = table;
    this.tell = tell;
  }

  /**
   * Is the near end of a session.
   *
   * @param leaves to the host that it leaves, owned
   * @param far to the other machine's host, owned
   */
  void relay(Order.Relay order, Fd leaves, Fd far) {
    start(() -> {
      try (StateLink from = new StateLink(settings.kernel(), leaves);
          StateLink to = new StateLink(settings.kernel(), far)) {
        inAPlace(
            order.id(),
            () -> relay(order, from, to),
            () -> ArrivalRefusal.tell(from, FULL, settings.nanoTime()));
      }
    });
  }

  private void relay(Order.Relay order, StateLink from, StateLink to) {
    SessionRelay relay = null;
    try {
      relay = SessionRelay.begin(settings, from, to);
      relay.awaitGo();
    } catch (StateException | RuntimeException refused) {
      if (relay != null) {
        relay.close();
      }
      String why = String.valueOf(refused.getMessage());
      not(order.id(), why);
      to.end();
      ArrivalRefusal.tell(from, why, settings.nanoTime());
      return;
    }
    table.serveArrived(
        order.session(),
        new PeerCredentials(order.pid(), order.uid(), NOBODY),
        order.sinceMs(),
        new RelayedApplication(relay),
        () -> done(order.id()));
  }

  /**
   * Is the far end of a session.
   *
   * @param near to the other machine's host, owned
   */
  void mirror(Order.Mirror order, Fd near) {
    start(() -> {
      try (StateLink net = new StateLink(settings.kernel(), near)) {
        inAPlace(order.id(), () -> mirror(order, net), () -> refuse(net));
      }
    });
  }

  private void mirror(Order.Mirror order, StateLink net) {
    Mirror mirror;
    try {
      mirror = Mirror.begin(settings, net);
    } catch (StateException | RuntimeException refused) {
      not(order.id(), String.valueOf(refused.getMessage()));
      return;
    }
    table.serveArrived(
        order.session(),
        new PeerCredentials(NO_PROCESS, NOBODY, NOBODY),
        table.nowMs(),
        new MirroredApplication(mirror, devices),
        () -> done(order.id()));
  }

  /** The near end hears it as the answer to its first question. */
  private static void refuse(StateLink net) {
    try {
      net.write(new StateItem.Refused(List.of(FULL)));
      net.flush();
    } catch (StateException _) {
      // it is gone
    }
  }

  private void inAPlace(long id, Runnable work, Runnable refused) {
    if (!table.takePlace()) {
      refused.run();
      not(id, FULL);
      return;
    }
    try {
      work.run();
    } finally {
      table.givePlace();
    }
  }

  private void done(long id) {
    tell.accept(new Moved(id, "", List.of(), 0, 0, 0));
  }

  private void not(long id, String why) {
    tell.accept(Moved.not(id, why, List.of()));
  }

  private void start(Runnable work) {
    settings.threads().newThread(work).start();
  }
}
