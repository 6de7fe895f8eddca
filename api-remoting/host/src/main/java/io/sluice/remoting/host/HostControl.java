package io.sluice.remoting.host;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.LinkException;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.remoting.control.Order.Serve;
import java.util.List;
import java.util.Optional;

/**
 * The host's end of the control link: carries out the daemon's orders, one after another, until the
 * link is closed.
 */
final class HostControl {
  /** Begins to serve a guest. */
  @FunctionalInterface
  interface Beginning {
    /**
     * @param listener where the guest's applications connect
     */
    SessionTable serve(Serve order, Fd listener);
  }

  private final ControlLink link;
  private final Serving serving;

  /**
   * @param serving what the daemon is told once the guest is served
   */
  HostControl(ControlLink link, Serving serving) {
    this.link = link;
    this.serving = serving;
  }

  /** Carries out orders until the daemon closes the link. */
  void run(Beginning beginning) throws LinkException {
    Optional<Order> first = next();
    if (first.isEmpty()) {
      return;
    }
    if (!(first.get() instanceof Serve serve)) {
      throw new LinkException("the first order is to serve");
    }
    SessionTable table = beginning.serve(serve, link.takeDescriptor());
    tell(serving);
    for (Optional<Order> order = next(); order.isPresent(); order = next()) {
      tell(answer(order.get(), table));
    }
  }

  private Optional<Order> next() throws LinkException {
    Optional<String> line = link.receive();
    return line.isEmpty() ? Optional.empty() : Optional.of(ControlCodec.readOrder(line.get()));
  }

  private HostMessage answer(Order order, SessionTable table) throws LinkException {
    return switch (order) {
      case OpenShared open ->
          new MachineOrders(table).open(open, link.takeDescriptors(open.files() + 2));
      case AddSegment add -> new MachineOrders(table).add(add, link.takeDescriptors(add.files()));
      default -> {
        link.refuseDescriptors();
        yield plainAnswer(order, table);
      }
    };
  }

  private static HostMessage plainAnswer(Order order, SessionTable table) throws LinkException {
    return switch (order) {
      case OpenShared _, AddSegment _ -> throw new LinkException("an order with descriptors");
      case Serve _ -> throw new LinkException("a second order to serve");
      case ListSessions list -> new Sessions(list.id(), table.reports());
      case LimitSessions limit -> {
        table.limit(limit.limits());
        yield new Done(limit.id(), "");
      }
      case EndSession end ->
          new Done(end.id(), table.end(end.session()) ? "" : "there is no such session");
    };
  }

  /** Tells the daemon; when it is gone the host ends anyway. */
  void tell(HostMessage message) {
    try {
      link.send(ControlCodec.write(message), List.of());
    } catch (SluiceException _) {
      // the thread that receives sees the end of the link
    }
  }
}
