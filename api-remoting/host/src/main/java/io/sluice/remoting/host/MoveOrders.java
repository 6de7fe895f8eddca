package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Left;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.Order.Approach;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.control.Order.EndTrial;
import io.sluice.remoting.control.Order.Halt;
import io.sluice.remoting.control.Order.Leave;
import io.sluice.remoting.control.Order.Part;
import io.sluice.remoting.control.Order.Stay;
import io.sluice.remoting.control.Order.Trial;
import io.sluice.remoting.control.SegmentPages;
import io.sluice.remoting.relay.StayingDeparture;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The orders by which sessions come and go. Each is carried out on a thread of its own, which tells
 * the daemon when it is done.
 */
final class MoveOrders {
  private static final String NOT_MOVED = "it is not being moved";
  private static final String MOVES = "it is being moved";
  private static final String FULL = "there are as many sessions as there may be";

  /** How long another host may take to come to its question, which is refused. */
  private static final int LAST_WORD_MS = 5_000;

  private final SessionSettings settings;
  private final String devices;
  private final SessionTable table;
  private final Consumer<HostMessage> tell;
  private final Map<Long, Leaving> departures = new ConcurrentHashMap<>();

  /** Done with the order by which they are over. */
  private final Map<Long, CompletableFuture<Long>> trials = new ConcurrentHashMap<>();

  /**
   * @param devices names of those that sessions have
   * @param tell hears of stages and results, from any thread
   */
  MoveOrders(
      SessionSettings settings, String devices, SessionTable table, Consumer<HostMessage> tell) {
    this.settings = settings;
    this.devices = devices;
    this.table = table;
    this.tell = tell;
  }

  /**
   * Moves a session away, or looks whether that could be.
   *
   * @param socket to the other host, owned
   */
  void depart(Depart order, Fd socket) {
    start(() -> {
      try (StateLink link = new StateLink(settings.kernel(), socket)) {
        tell.accept(departed(order, link));
      }
    });
  }

  private Moved departed(Depart order, StateLink link) {
    if (table.application(order.session()) instanceof RelayedApplication away) {
      return away.recalled(order, link, stage -> tellStage(order.session(), stage));
    }
    if (table.application(order.session()) instanceof ParkedApplication) {
      return Moved.not(order.id(), ParkedApplication.IN_A_FILE, List.of());
    }
    ServedSession session = table.served(order.session());
    if (session == null) {
      return Moved.not(order.id(), "there is no such session, or none that can move", List.of());
    }
    Departure departure = new Departure(session, link, stage -> tellStage(order.session(), stage));
    if (departures.putIfAbsent(order.session(), departure) != null) {
      return Moved.not(order.id(), MOVES, List.of());
    }
    try {
      Departure.Result result = departure.run(order.checkOnly());
      return new Moved(
          order.id(), "", List.of(), result.rounds(), result.sentBytes(), result.stoppedNs());
    } catch (UnmovableException unmovable) {
      return Moved.not(order.id(), "it cannot be moved as it is", unmovable.reasons());
    } catch (StateException | RuntimeException lost) {
      return Moved.not(order.id(), String.valueOf(lost.getMessage()), List.of());
    } finally {
      departures.remove(order.session(), departure);
    }
  }

  /**
   * Moves a session away with its machine, or looks whether that could be.
   *
   * @param socket to the other host, owned
   */
  void leave(Leave order, Fd socket) {
    StateLink link = new StateLink(settings.kernel(), socket);
    Leaving departure = leaving(order, link);
    if (order.trial() && departure != null) {
      CompletableFuture<Long> ended = new CompletableFuture<>();
      if (trials.putIfAbsent(order.session(), ended) == null) { // now: its end may come at once
        start(() -> tryOut(order, departure, link, ended));
        return;
      }
      link.close();
      tell.accept(Left.not(order.id(), "it is being tried out", List.of()));
      return;
    }
    if (departure == null) {
      link.close();
      tell.accept(Left.not(order.id(), whyNone(order.session()), List.of()));
    } else if (departures.putIfAbsent(order.session(), departure) != null) {
      link.close();
      tell.accept(Left.not(order.id(), MOVES, List.of()));
    } else {
      start(() -> leave(order.id(), order.session(), departure, link));
    }
  }

  /**
   * Moves the near end of a session away with its machine.
   *
   * @param socket to the host that gets it, owned
   */
  void part(Part order, Fd socket) {
    StateLink link = new StateLink(settings.kernel(), socket);
    StayingDeparture departure;
    try {
      departure = parting(order.session(), link);
    } catch (UnmovableException unmovable) {
      link.close();
      tell.accept(Left.not(order.id(), "it cannot stay alone", unmovable.reasons()));
      return;
    }
    if (departure == null) {
      link.close();
      tell.accept(Left.not(order.id(), whyNone(order.session()), List.of()));
    } else if (departures.putIfAbsent(order.session(), departure) != null) {
      departure.close();
      link.close();
      tell.accept(Left.not(order.id(), MOVES, List.of()));
    } else {
      start(() -> leave(order.id(), order.session(), departure, link));
    }
  }

  private @Nullable StayingDeparture parting(long number, StateLink link)
      throws UnmovableException {
    Consumer<StateStage> entered = stage -> tellStage(number, stage);
    if (table.application(number) instanceof RelayedApplication away) {
      return StayingDeparture.of(away.near(), link, way -> away.leaving(way, entered));
    }
    ServedSession session = table.served(number);
    return session == null
        ? null
        : StayingDeparture.of(session, link, way -> new Departure(session, way, entered));
  }

  private String whyNone(long session) {
    return table.application(session) instanceof ParkedApplication
        ? ParkedApplication.IN_A_FILE
        : "there is no such session";
  }

  private void leave(long id, long session, Leaving departure, StateLink link) {
    try (link) {
      departure.leave(halted -> tell.accept(left(id, halted)));
    } catch (UnmovableException unmovable) {
      tell.accept(Left.not(id, "it cannot be moved as it is", unmovable.reasons()));
    } catch (StateException | RuntimeException lost) {
      tell.accept(Left.not(id, String.valueOf(lost.getMessage()), List.of()));
    } finally {
      departures.remove(session, departure);
    }
  }

  private void tryOut(
      Leave order, Leaving departure, StateLink link, CompletableFuture<Long> ended) {
    try (link) {
      tell.accept(tried(order, departure));
      long id = ended.join();
      sayThatItStays(link);
      trials.remove(order.session(), ended);
      tell.accept(new Done(id, ""));
    }
  }

  private static Left tried(Leave order, Leaving departure) {
    try {
      Departure.Result result = departure.tryOut();
      return new Left(order.id(), "", List.of(), result.sentBytes(), 0, List.of());
    } catch (UnmovableException unmovable) {
      return Left.not(order.id(), "it cannot be moved as it is", unmovable.reasons());
    } catch (StateException | RuntimeException lost) {
      return Left.not(order.id(), String.valueOf(lost.getMessage()), List.of());
    }
  }

  /** The other host ends the stream when nothing is left of what it made. */
  private static void sayThatItStays(StateLink link) {
    try {
      link.write(new StateItem.Stay());
      link.flush();
      link.awaitEnd(LAST_WORD_MS);
    } catch (StateException _) {
      // it has ended the stream
    }
  }

  /** The trial of a session is over; the daemon is told when nothing is left of it. */
  void endTrial(EndTrial order) {
    CompletableFuture<Long> trial = trials.get(order.session());
    if (trial == null || !trial.complete(order.id())) {
      tell.accept(new Done(order.id(), "it is not being tried out"));
    }
  }

  private static Left left(long id, Departure.HaltedSession halted) {
    return new Left(
        id,
        "",
        List.of(),
        halted.result().sentBytes(),
        halted.result().stoppedNs(),
        halted.pages().stream()
            .map(range -> new SegmentPages(range.index(), range.offset(), range.bytes()))
            .toList());
  }

  /** A move with its machine, wherever the session lives; null when there is no such session. */
  private @Nullable Leaving leaving(Leave order, StateLink link) {
    Consumer<StateStage> entered =
        order.trial() ? _ -> {} : stage -> tellStage(order.session(), stage);
    if (table.application(order.session()) instanceof RelayedApplication away) {
      return away.leaving(link, entered);
    }
    ServedSession session = table.served(order.session());
    return session == null ? null : new Departure(session, link, entered);
  }

  private void tellStage(long number, StateStage stage) {
    tell.accept(new Moving(number, stage.name().toLowerCase(Locale.ROOT)));
  }

  /** The machine of a session that leaves is near its stop. */
  void approach(Approach order) {
    Leaving departure = departures.get(order.session());
    if (departure == null) {
      tell.accept(new Done(order.id(), NOT_MOVED));
    } else {
      var _ = departure.approach().whenComplete((_, _) -> tell.accept(new Done(order.id(), "")));
    }
  }

  /** The machine of a session that leaves is about to stop. */
  Done halt(Halt order) {
    Leaving departure = departures.get(order.session());
    if (departure != null) {
      departure.halt();
    }
    return new Done(order.id(), departure == null ? NOT_MOVED : "");
  }

  /** Gives up a move, if it can be. */
  Done stay(Stay order) {
    Leaving departure = departures.get(order.session());
    boolean moves = departure != null;
    if (departure != null) {
      departure.giveUp();
    } else {
      moves =
          switch (table.application(order.session())) {
            case RelayedApplication away -> away.stay();
            case ParkedApplication parked -> parked.stay();
            case null, default -> false;
          };
    }
    return new Done(order.id(), moves ? "" : NOT_MOVED);
  }

  /**
   * Takes a session from another host.
   *
   * @param socket to the other host, owned
   */
  void arrive(Arrive order, Fd socket) {
    start(() -> {
      try (StateLink link = new StateLink(settings.kernel(), socket)) {
        if (!table.takePlace()) {
          tell.accept(Moved.not(order.id(), FULL, List.of()));
          ArrivalRefusal.tell(link, FULL, settings.nanoTime());
          return;
        }
        try {
          arrived(order, link);
        } finally {
          table.givePlace();
        }
      }
    });
  }

  /**
   * Looks whether a session could come with its machine.
   *
   * @param socket to its host, owned
   */
  void tryOut(Trial order, Fd socket) {
    start(() -> {
      try (StateLink link = new StateLink(settings.kernel(), socket)) {
        tell.accept(new Done(order.id(), tried(link)));
      }
    });
  }

  /** Why the trial has ended, which each does. */
  private String tried(StateLink link) {
    String why = FULL;
    if (table.takePlace()) {
      try (Arrival arrival = Arrival.onTrial(settings, link)) {
        arrival.awaitStay();
        return "";
      } catch (StateException | RuntimeException ended) {
        why = String.valueOf(ended.getMessage());
      } finally {
        table.givePlace();
      }
    }
    ArrivalRefusal.tell(link, why, settings.nanoTime());
    return why;
  }

  private void arrived(Arrive order, StateLink link) {
    Arrival arrival = null;
    try {
      arrival = Arrival.begin(settings, link);
      if (order.again()) {
        arrival.countAtOnce();
      }
      arrival.awaitGo();
    } catch (StateException | RuntimeException refused) {
      if (arrival != null) {
        arrival.close();
      }
      String why = String.valueOf(refused.getMessage());
      tell.accept(Moved.not(order.id(), why, List.of()));
      ArrivalRefusal.tell(link, why, settings.nanoTime());
      return;
    }
    link.end();
    PeerCredentials peer = new PeerCredentials(order.pid(), order.uid(), -1);
    table.serveArrived(
        order.session(),
        peer,
        order.sinceMs(),
        new ArrivedApplication(arrival, devices),
        () -> tell.accept(new Moved(order.id(), "", List.of(), 0, 0, 0)));
  }

  private void start(Runnable work) {
    settings.threads().newThread(work).start();
  }
}
