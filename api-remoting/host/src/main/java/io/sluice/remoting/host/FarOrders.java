package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.relay.Mirror;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.ProtocolException;
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

  /**
   * Descriptors that come with a near end beside its memory: doorbell, notify, and the streams to
   * the host that it leaves and to the one on which the session lives.
   */
  static final int NEAR_ENDS = 4;

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
   * Is the near end of a session that comes with its machine.
   *
   * @param fds files, and the {@link #NEAR_ENDS}; owned
   */
  Shared near(Order.Near order, List<Fd> fds) {
    List<Fd> files = fds.subList(0, order.files());
    List<Fd> ends = fds.subList(order.files(), fds.size());
    boolean owned = false;
    if (!table.takePlace()) {
      fds.forEach(Fd::close);
      return new Shared(order.id(), order.session(), Errno.EDQUOT.number());
    }
    StateLink from = new StateLink(settings.kernel(), ends.get(2));
    StateLink to = new StateLink(settings.kernel(), ends.get(3));
    try {
      SessionRelay relay =
          SessionRelay.withMachine(
              settings,
              order.api(),
              MachineOrders.pieces(files, order.pieces()),
              ends.subList(0, 2),
              from,
              to);
      owned = true;
      OpenSession session =
          table.admitArrived(
              order.session(),
              new PeerCredentials(NO_PROCESS, NOBODY, NOBODY),
              table.nowMs(),
              RelayedApplication.comes(relay, from));
      start(() -> serve(session, from, to));
      return new Shared(order.id(), order.session(), 0);
    } catch (ProtocolException e) {
      return new Shared(order.id(), order.session(), e.errno().number());
    } catch (SyscallException e) {
      return new Shared(order.id(), order.session(), e.errno());
    } finally {
      files.forEach(Fd::close);
      if (!owned) {
        ends.forEach(Fd::close);
        from.close();
        to.close();
        table.givePlace();
      }
    }
  }

  private void serve(OpenSession session, StateLink from, StateLink to) {
    try (from;
        to) {
      table.serve(session);
    } finally {
      table.givePlace();
    }
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
