package io.sluice.remoting.session;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A session that comes from another host: made again as the stream says, and served here from the
 * moment that the other host says so. By one thread.
 */
public final class Arrival implements AutoCloseable {
  /** How long the other host may say nothing while the application runs there. */
  private static final int PATIENCE_MS = 600_000;

  /** How long it may say nothing when the application waits. */
  private static final int GO_MS = 30_000;

  /** How long memory of the machine may be on its way, which takes another one. */
  private static final int SEGMENT_MS = 30_000;

  private final StateLink link;
  private final ServedSession session;
  private final List<Fd> descriptors;
  private final StateRestore restore;
  private boolean served;

  private Arrival(
      StateLink link, ServedSession session, List<Fd> descriptors, StateRestore restore) {
    this.link = link;
    this.session = session;
    this.descriptors = descriptors;
    this.restore = restore;
  }

  /**
   * Takes what a session is from the other host, up to where the application would wait for it.
   *
   * @param link to the other host; stays the caller's
   * @throws StateException when it does not come to that, for whatever reason
   */
  public static Arrival begin(SessionSettings settings, StateLink link) throws StateException {
    return begin(
        settings, link, memory -> SessionPort.of(memory.segment(0), settings.kernel()::wakeFutex));
  }

  /**
   * As the other.
   *
   * @param ports how calls come and are answered, of the application's memory
   */
  public static Arrival begin(
      SessionSettings settings, StateLink link, Function<SharedMemory, SessionPort> ports)
      throws StateException {
    link.patience(PATIENCE_MS);
    if (!(link.read() instanceof StateItem.Head head)) {
      throw new StateException("a stream begins without a head");
    }
    List<Fd> fds = link.takeDescriptors(2);
    SharedMemory memory = new SharedMemory(settings.kernel(), settings.mostSharedBytes());
    Arrival arrival = null;
    try {
      arrival = open(settings, link, head, memory, fds, ports);
      return arrival;
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a stream's descriptors are refused: " + refused.getMessage());
    } finally {
      if (arrival == null) {
        memory.close();
        fds.forEach(Fd::close);
      }
    }
  }

  private static Arrival open(
      SessionSettings settings,
      StateLink link,
      StateItem.Head head,
      SharedMemory memory,
      List<Fd> fds,
      Function<SharedMemory, SessionPort> ports)
      throws StateException {
    RemotedApi api = settings.apis().get(head.api());
    if (api == null) {
      throw new StateException("api is not served here, number=" + head.api());
    }
    if (!(link.read() instanceof StateItem.Segment segment) || segment.index() != 0) {
      throw new StateException("a session comes without segment 0");
    }
    memory.add(link, segment);
    return of(
        link, head, ServedSession.arriving(settings, api, head.place(), fds, memory, ports), fds);
  }

  private static Arrival of(
      StateLink link, StateItem.Head head, ServedSession session, List<Fd> descriptors)
      throws StateException {
    session.session().context().isComing();
    ApiState state = session.session().execution().state().orElse(null);
    if (state == null) {
      session.session().discard();
      session.close();
      throw new StateException("sessions of the api do not move, number=" + head.api());
    }
    StateRestore restore = new StateRestore(session.session(), state, head.implementation());
    return new Arrival(link, session, descriptors, restore);
  }

  /**
   * Takes what the session of a machine is that may come, to see whether it could be made here. The
   * machine's memory is not here: there is memory as large, which nobody writes.
   *
   * @param link to the other host; stays the caller's
   * @throws StateException when it does not come to that
   */
  public static Arrival onTrial(SessionSettings settings, StateLink link) throws StateException {
    link.patience(PATIENCE_MS);
    if (!(link.read() instanceof StateItem.Head head)
        || head.place() != StateItem.ApplicationPlace.MOVING_MACHINE) {
      throw new StateException("a stream begins without the head of a machine's session");
    }
    RemotedApi api = settings.apis().get(head.api());
    if (api == null) {
      throw new StateException("api is not served here, number=" + head.api());
    }
    if (!(link.read() instanceof StateItem.Segment segment) || segment.index() != 0) {
      throw new StateException("a session comes without segment 0");
    }
    Kernel kernel = settings.kernel();
    SharedMemory memory = new SharedMemory(kernel, settings.mostSharedBytes());
    List<Fd> eventfds = new ArrayList<>();
    MachineSession session = null;
    try {
      addBlank(settings, memory, segment);
      eventfds.add(kernel.eventfd(0, Kernel.NONBLOCK));
      eventfds.add(kernel.eventfd(0, Kernel.NONBLOCK));
      session = MachineSession.of(settings, api, memory, eventfds.get(0), eventfds.get(1));
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a session cannot be tried: " + refused.getMessage());
    } finally {
      if (session == null) {
        memory.close();
        eventfds.forEach(Fd::close);
      }
    }
    return of(link, head, session, List.of());
  }

  /** Memory that takes no place as long as nobody writes it. */
  private static void addBlank(
      SessionSettings settings, SharedMemory memory, StateItem.Segment segment)
      throws StateException {
    if (segment.bytes() > settings.mostSharedBytes() - memory.bytes()) {
      throw new StateException("segments are too large, bytes=" + segment.bytes());
    }
    Kernel kernel = settings.kernel();
    try (Fd file = kernel.memfdCreate("sluice-trial", segment.bytes())) {
      kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      memory.add(segment.index(), file, segment.bytes());
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a segment is refused: " + refused.getMessage());
    }
  }

  /**
   * Makes the session's objects and says whether they could be made, as often as it is asked, until
   * the session stays.
   *
   * @throws StateException when it does not come to that
   */
  public void awaitStay() throws StateException {
    while (true) {
      switch (link.read()) {
        case StateItem.Segment segment -> addBlank(session.settings(), session.memory(), segment);
        case StateItem.Prepared _ -> answer();
        case StateItem.Stay _ -> {
          return;
        }
        case StateItem.Root root -> restore.take(root);
        case StateItem.Made made -> restore.take(made);
        case StateItem.Changed changed -> restore.take(changed);
        case StateItem.Gone gone -> restore.take(gone);
        case StateItem item ->
            throw new StateException("an item that is out of place, item=" + item);
      }
    }
  }

  /**
   * Takes the session of a machine that comes, too.
   *
   * @param link to the other host; stays the caller's
   * @param session that nobody serves yet, with the machine's memory here; owned
   * @throws StateException when it does not come to that
   */
  public static Arrival withMachine(StateLink link, MachineSession session) throws StateException {
    Arrival arrival = null;
    try {
      link.patience(PATIENCE_MS);
      if (!(link.read() instanceof StateItem.Head head)
          || head.place() != StateItem.ApplicationPlace.MOVING_MACHINE
          || head.api() != session.api().number()) {
        throw new StateException("a stream begins without the head of a machine's session");
      }
      arrival = of(link, head, session, List.of());
      return arrival;
    } finally {
      if (arrival == null) {
        session.close();
      }
    }
  }

  /**
   * Makes the session again, until all of it is here: the machine's side decides what follows.
   *
   * @throws StateException when it does not come to that
   */
  public void awaitComplete() throws StateException {
    while (true) {
      switch (link.read()) {
        case StateItem.Segment segment -> awaitSegment(segment);
        case StateItem.Prepared _ -> answer();
        case StateItem.Complete _ -> {
          restore.finish(false);
          answer();
          return;
        }
        case StateItem.Go _ -> throw new StateException("a machine's session is told to go on");
        case StateItem item -> restore.take(item);
      }
    }
  }

  private void awaitSegment(StateItem.Segment segment) throws StateException {
    boolean isThere;
    try {
      isThere =
          segment.parts().isEmpty()
              && session instanceof MachineSession machine
              && machine.awaitSegment(segment.index(), segment.bytes(), SEGMENT_MS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the session host is stopping");
    }
    if (!isThere) {
      throw new StateException("a segment of the machine does not come, index=" + segment.index());
    }
  }

  /**
   * Makes the session again, until the other host says to go on.
   *
   * @throws StateException when it does not say so: the session is not this host's
   */
  public void awaitGo() throws StateException {
    boolean complete = false;
    while (true) {
      StateItem item = complete ? lastWord() : link.read();
      switch (item) {
        case StateItem.Segment segment -> session.memory().add(link, segment);
        case StateItem.Prepared _ -> answer();
        case StateItem.Complete _ -> {
          restore.finish(true);
          answer();
          complete = true;
          link.patience(GO_MS);
        }
        case StateItem.Go _ -> {
          if (!complete) {
            throw new StateException("a session is to go on that is not complete");
          }
          session.session().context().hasCome();
          return;
        }
        default -> restore.take(item);
      }
    }
  }

  /**
   * Reads on; when nothing comes in time the stream is ended first, so that the other host either
   * has said to go on, or cannot any more.
   */
  private StateItem lastWord() throws StateException {
    try {
      return link.read();
    } catch (StateException _) {
      link.end();
      return link.read();
    }
  }

  private void answer() throws StateException {
    restore.settle();
    List<String> reasons = restore.reasons();
    link.write(reasons.isEmpty() ? new StateItem.Ready() : new StateItem.Refused(reasons));
    link.flush();
    if (!reasons.isEmpty()) {
      throw new StateException("refused: " + String.join("; ", reasons));
    }
  }

  /**
   * Its memory is counted nowhere else, as that of a session that moves is: it counts here as that
   * of one that is opened. Before anything of it is made.
   */
  public void countAtOnce() {
    session.session().context().hasCome();
  }

  /** The session that is being made. */
  public ServedSession session() {
    return session;
  }

  /** Serves the application, after {@link #awaitGo}; nothing of it is left when this returns. */
  public void serve() {
    served = true;
    restore.begin();
    session.serve(() -> {});
  }

  @Override
  public void close() {
    restore.close();
    if (!served) {
      session.session().discard();
    }
    session.close();
    session.memory().close();
    descriptors.forEach(Fd::close);
  }
}
