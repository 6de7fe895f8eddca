package io.sluice.remoting.host;

import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.LinkException;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.Approach;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.EndTrial;
import io.sluice.remoting.control.Order.GoOn;
import io.sluice.remoting.control.Order.Halt;
import io.sluice.remoting.control.Order.Leave;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.Order.Mirror;
import io.sluice.remoting.control.Order.Near;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.remoting.control.Order.Park;
import io.sluice.remoting.control.Order.Part;
import io.sluice.remoting.control.Order.Relay;
import io.sluice.remoting.control.Order.Serve;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.Order.Stay;
import io.sluice.remoting.control.Order.TakeNumber;
import io.sluice.remoting.control.Order.Trial;
import io.sluice.remoting.control.Order.Unpark;
import java.util.List;
import java.util.Optional;

/**
 * The host's end of the control link: carries out the daemon's orders, one after another, until the
 * link is closed.
 */
final class HostControl {
  /** The beginning of a guest's service. */
  interface Beginning {
    /**
     * @param listener where the guest's applications connect
     */
    Served serve(Serve order, Fd listener, Common common);

    /** Serves sessions that come from other hosts alone. */
    Served stand(Stand order, Common common);
  }

  /**
   * The files that the host has in common with the daemon.
   *
   * @param turns the page of turns at devices
   * @param granted an eventfd, signalled when a device is granted
   * @param memory the page of what hosts hold
   */
  record Common(Fd turns, Fd granted, Fd memory) {}

  /** The parts by which a host serves its guest. */
  record Served(SessionTable table, MoveOrders moves, FarOrders far, ParkOrders parking) {}

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
    Served served =
        switch (first.get()) {
          case Serve serve -> {
            List<Fd> files = link.takeDescriptors(4);
            yield beginning.serve(
                serve, files.get(0), new Common(files.get(1), files.get(2), files.get(3)));
          }
          case Stand stand -> {
            List<Fd> files = link.takeDescriptors(3);
            yield beginning.stand(stand, new Common(files.get(0), files.get(1), files.get(2)));
          }
          default -> throw new LinkException("the first order is to serve");
        };
    tell(serving);
    for (Optional<Order> order = next(); order.isPresent(); order = next()) {
      carryOut(order.get(), served);
    }
  }

  private void carryOut(Order order, Served served) throws LinkException {
    switch (order) {
      case Depart depart -> served.moves().depart(depart, link.takeDescriptor());
      case Leave leave -> served.moves().leave(leave, link.takeDescriptor());
      case Part part -> served.moves().part(part, link.takeDescriptor());
      case Near near ->
          tell(served.far().near(near, link.takeDescriptors(near.files() + FarOrders.NEAR_ENDS)));
      case Approach approach -> {
        link.refuseDescriptors();
        served.moves().approach(approach);
      }
      case Halt halt -> {
        link.refuseDescriptors();
        tell(served.moves().halt(halt));
      }
      case EndTrial end -> {
        link.refuseDescriptors();
        served.moves().endTrial(end);
      }
      case Trial trial -> served.moves().tryOut(trial, link.takeDescriptor());
      case Arrive arrive -> served.moves().arrive(arrive, link.takeDescriptor());
      case Relay relay -> {
        List<Fd> streams = link.takeDescriptors(2);
        served.far().relay(relay, streams.get(0), streams.get(1));
      }
      case Mirror mirror -> served.far().mirror(mirror, link.takeDescriptor());
      case Park park -> {
        List<Fd> streams = link.takeDescriptors(2);
        served.parking().park(park, streams.get(0), streams.get(1));
      }
      case Unpark unpark -> {
        List<Fd> streams = link.takeDescriptors(2);
        served.parking().unpark(unpark, streams.get(0), streams.get(1));
      }
      case Stay stay -> {
        link.refuseDescriptors();
        tell(served.moves().stay(stay));
      }
      default -> tell(answer(order, served.table()));
    }
  }

  private Optional<Order> next() throws LinkException {
    Optional<String> line = link.receive();
    return line.isEmpty() ? Optional.empty() : Optional.of(ControlCodec.readOrder(line.get()));
  }

  private HostMessage answer(Order order, SessionTable table) throws LinkException {
    return switch (order) {
      case OpenShared open ->
          new MachineOrders(table)
              .open(open, link.takeDescriptors(open.files() + (open.comes() ? 3 : 2)));
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
      case Serve _, Stand _ -> throw new LinkException("a second order to serve");
      case Depart _,
          Arrive _,
          Relay _,
          Mirror _,
          Park _,
          Unpark _,
          Leave _,
          Part _,
          Near _,
          EndTrial _,
          Trial _,
          Approach _,
          Halt _,
          Stay _ ->
          throw new LinkException("an order about a move");
      case GoOn go -> new Done(go.id(), table.goOn(go.session()) ? "" : "there is no such session");
      case TakeNumber take -> new Shared(take.id(), table.takeNumber(), 0);
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
