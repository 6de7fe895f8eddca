package io.sluice.remoting.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.session.MachineSession;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The near end of a session that lives on another host. The application's ring, memory and
 * connection stay here; calls go there with the bytes that they read, and answers come back behind
 * the bytes that were written. {@link Mirror} is the far end.
 *
 * <p>A session comes to it as to an {@link Arrival}, from any host that has the application's
 * descriptors, and {@linkplain #recall leaves} it for one. Where a machine comes without its
 * session, the near end comes {@linkplain #withMachine with the machine}. Of the other host nothing
 * is believed that could touch more of the application's memory than its calls have named.
 */
public final class SessionRelay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionRelay.class);

  /** How long the host that the session leaves may say nothing while the application runs there. */
  private static final int PATIENCE_MS = 600_000;

  /** How long the other host may take until it says something: its session host may start first. */
  private static final int BEGIN_MS = 180_000;

  /** How long it may say nothing from then on. */
  static final int SILENCE_MS = 30_000;

  private final SessionSettings settings;
  private final StateLink from;
  private final RelayWire wire;
  private final StateLink to;
  private final SharedMemory memory;
  private final List<Fd> descriptors;
  private final CallRanges ranges;
  private final PendingRanges pending = new PendingRanges();
  private final RelayApi api;
  private final ServedSession linked;
  private volatile StateItem.Beat beat = new StateItem.Beat(List.of(), 0);
  private final AtomicReference<@Nullable SessionReturn> sessionReturn = new AtomicReference<>();
  private final Set<Integer> told = new HashSet<>(); // segments, to the other host
  private boolean heard; // the other host, before the session is there
  private volatile boolean served;
  private volatile boolean lost;

  private SessionRelay(
      SessionSettings settings,
      StateLink from,
      StateLink to,
      RelayableApi remoted,
      StateItem.ApplicationPlace place,
      SharedMemory memory,
      List<Fd> fds)
      throws StateException {
    this.settings = settings;
    this.from = from;
    this.to = to;
    this.memory = memory;
    descriptors = fds;
    wire = new RelayWire(to);
    ranges = remoted.ranges();
    api = new RelayApi(remoted, wire, memory, ranges, pending);
    linked =
        ServedSession.arriving(
            settings, api, place, fds, memory, all -> SessionPort.of(settings.kernel(), all));
    ApiSession _ = linked.session().execution();
  }

  /**
   * Takes a session's head.
   *
   * @param from the host that the session leaves; stays the caller's
   * @param to the host on which it will live; stays the caller's
   * @throws StateException when it does not come to that, for whatever reason
   */
  public static SessionRelay begin(SessionSettings settings, StateLink from, StateLink to)
      throws StateException {
    from.patience(PATIENCE_MS);
    if (!(from.read() instanceof StateItem.Head head)) {
      throw new StateException("a stream begins without a head");
    }
    List<Fd> fds = from.takeDescriptors(2);
    SharedMemory memory = new SharedMemory(settings.kernel(), settings.mostSharedBytes());
    SessionRelay relay = null;
    try {
      if (!(settings.apis().get(head.api()) instanceof RelayableApi remoted)) {
        throw new StateException("a session that stays on its host, api=" + head.api());
      }
      if (!(from.read() instanceof StateItem.Segment segment) || segment.index() != 0) {
        throw new StateException("a session comes without segment 0");
      }
      memory.add(from, segment);
      relay = new SessionRelay(settings, from, to, remoted, head.place(), memory, fds);
      // To the other host it is an application beside it, in a machine or not.
      to.write(
          new StateItem.Head(head.api(), StateItem.ApplicationPlace.HOST, head.implementation()));
      to.write(without(segment));
      return relay;
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a stream's descriptors are refused: " + refused.getMessage());
    } finally {
      if (relay == null) {
        memory.close();
        fds.forEach(Fd::close);
      }
    }
  }

  /**
   * Takes the near end of a machine's session, which comes with the machine: the session stays on
   * another host.
   *
   * @param api its number
   * @param first segment 0; files stay the caller's
   * @param eventfds the machine's doorbell, and what interrupts it; owned once this is made
   * @param from the host that the machine leaves; stays the caller's
   * @param to the host on which the session will live; stays the caller's
   * @throws ProtocolException when it cannot be served
   */
  public static SessionRelay withMachine(
      SessionSettings settings,
      int api,
      List<FilePiece> first,
      List<Fd> eventfds,
      StateLink from,
      StateLink to) {
    if (!(settings.apis().get(api) instanceof RelayableApi remoted)) {
      throw new ProtocolException(
          Errno.EOPNOTSUPP, "api is not served from elsewhere, number=" + api);
    }
    SharedMemory memory = new SharedMemory(settings.kernel(), settings.mostSharedBytes());
    SessionRelay relay = null;
    try {
      memory.add(0, first);
      relay =
          new SessionRelay(
              settings,
              from,
              to,
              remoted,
              StateItem.ApplicationPlace.MACHINE,
              memory,
              List.copyOf(eventfds));
      return relay;
    } catch (StateException refused) {
      throw new ProtocolException(Errno.EINVAL, String.valueOf(refused.getMessage()));
    } finally {
      if (relay == null) {
        memory.close();
      }
    }
  }

  /** A segment that is there as large, and whose bytes are here. */
  private static StateItem.Segment without(StateItem.Segment segment) {
    return new StateItem.Segment(segment.index(), segment.bytes(), List.of());
  }

  /**
   * Has the session made on the other host, until the host that it leaves says to go on.
   *
   * @throws StateException when it does not say so: the session is not there
   */
  public void awaitGo() throws StateException {
    boolean complete = false;
    while (true) {
      StateItem item = complete ? lastWord() : from.read();
      switch (item) {
        case StateItem.Segment segment -> {
          memory.add(from, segment);
          to.write(without(segment));
        }
        case StateItem.Prepared _ -> ask(item);
        case StateItem.Complete _ -> {
          for (MemoryRange range : ranges.storage()) { // nobody has written there since
            RelayedCalls.write(range, memory, new PendingRanges(), to);
          }
          ask(item);
          complete = true;
          from.patience(SILENCE_MS);
        }
        case StateItem.Go _ -> {
          if (!complete) {
            throw new StateException("a session is to go on that is not complete");
          }
          wire.send(item);
          return;
        }
        default -> take(item);
      }
    }
  }

  /**
   * Has the session made on the other host, until all of it is there but for the last word: its
   * machine is not here yet.
   *
   * @throws StateException when it does not come to that
   */
  public void awaitComplete() throws StateException {
    from.patience(PATIENCE_MS);
    if (!(from.read() instanceof StateItem.Head head)
        || head.place() != StateItem.ApplicationPlace.MOVING_MACHINE
        || head.api() != linked.api().number()) {
      throw new StateException("a stream begins without the head of a machine's session");
    }
    to.write(
        new StateItem.Head(head.api(), StateItem.ApplicationPlace.HOST, head.implementation()));
    while (true) {
      StateItem item = from.read();
      switch (item) {
        case StateItem.Segment segment -> {
          awaitSegment(segment);
          told.add(segment.index());
          to.write(without(segment));
        }
        case StateItem.Prepared _ -> ask(item);
        case StateItem.Complete _ -> {
          ask(new StateItem.Prepared()); // it may take until the machine is here
          return;
        }
        case StateItem.Go _ -> throw new StateException("a machine's session is told to go on");
        case StateItem.Open open -> {
          expect(open); // what it reads has come
          to.write(open);
        }
        case StateItem.Bytes bytes -> to.write(bytes);
        default -> take(item);
      }
    }
  }

  private void awaitSegment(StateItem.Segment segment) throws StateException {
    boolean isThere;
    try {
      isThere =
          segment.parts().isEmpty()
              && linked instanceof MachineSession machine
              && machine.awaitSegment(segment.index(), segment.bytes(), SILENCE_MS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the session host is stopping");
    }
    if (!isThere) {
      throw new StateException("a segment of the machine does not come, index=" + segment.index());
    }
  }

  /**
   * Its machine is here: has the session go on, after {@link #awaitComplete}.
   *
   * @throws StateException when it is there no more
   */
  public void goOn() throws StateException {
    api.calls().forgetRegistered(told);
    requireReady(question(new StateItem.Complete()));
    wire.send(new StateItem.Go());
  }

  private StateItem lastWord() throws StateException {
    try {
      return from.read();
    } catch (StateException _) {
      from.end(); // either it was said, or it cannot be any more
      return from.read();
    }
  }

  private void take(StateItem item) throws StateException {
    try {
      switch (item) {
        case StateItem.Ring ring -> {
          linked.session().submissions().goOn(ring.submitTail());
          linked.session().context().notices().goOn(ring.noticeHead());
          linked.session().goOn(ring.calls());
          to.write(new StateItem.Ring(0, 0, ring.calls()));
        }
        case StateItem.Notice notice ->
            linked
                .session()
                .context()
                .notices()
                .add(notice.kind(), notice.status(), notice.index());
        case StateItem.Open open -> {
          open(open);
          to.write(open);
        }
        default -> {
          ranges.take(item);
          to.write(item);
        }
      }
    } catch (ProtocolException e) {
      throw new StateException("an item cannot be, reason=" + e.getMessage());
    }
  }

  /** A call that waits for the application: what it reads goes now, what it writes comes later. */
  private void open(StateItem.Open open) throws StateException {
    CallRanges.NamedRanges named = ranges.of(open);
    for (MemoryRange range : named.read()) {
      RelayedCalls.write(range, memory, pending, to);
    }
    expect(open, named);
  }

  private void expect(StateItem.Open open) throws StateException {
    try {
      expect(open, ranges.of(open));
    } catch (ProtocolException e) {
      throw new StateException("a call cannot be, reason=" + e.getMessage());
    }
  }

  /** What a call writes comes later, and its answer. */
  private void expect(StateItem.Open open, CallRanges.NamedRanges named) throws StateException {
    for (MemoryRange range : named.written()) {
      MemorySegment _ = memory.named(range.place(), range.size());
    }
    if (!named.written().isEmpty()) {
      pending.add(-open.call().serial(), named.written());
      to.write(new StateItem.Writes(open.call().serial(), named.written()));
    }
    api.calls().expect(open.call().serial(), linked.session().answers().to(open.answerSlot()));
  }

  /** Asks the other host whether it can go on, and answers the one that the session leaves. */
  private void ask(StateItem question) throws StateException {
    StateItem answer = question(question);
    from.write(answer);
    from.flush();
    requireReady(answer);
  }

  /** The other host's answer. */
  private StateItem question(StateItem question) throws StateException {
    to.write(question);
    to.flush();
    StateItem answer;
    do {
      to.patience(heard ? SILENCE_MS : BEGIN_MS);
      answer = to.read();
      heard = true;
    } while (answer instanceof StateItem.Beat);
    return answer;
  }

  private static void requireReady(StateItem answer) throws StateException {
    switch (answer) {
      case StateItem.Ready _ -> {}
      case StateItem.Refused refused ->
          throw new StateException("refused: " + String.join("; ", refused.reasons()));
      default -> throw new StateException("the other host does not answer what was asked");
    }
  }

  /** The session as it is here. */
  public ServedSession linked() {
    return linked;
  }

  /** How many objects of each kind the session has, as the other host said last. */
  public List<Long> objectCounts() {
    return beat.objects();
  }

  /** Bytes of device memory that the session holds, as the other host said last. */
  public long chargedBytes() {
    return beat.bytes();
  }

  /**
   * Has {@link #serve} return soon, or what comes before that fail; from any thread, while this is
   * open.
   */
  public void end() {
    if (!served) {
      from.end();
    }
    linked.end();
  }

  /** Serves the application, after {@link #awaitGo}; nothing of it is left when this returns. */
  public void serve() {
    served = true;
    from.end();
    Thread hearing = settings.threads().newThread(this::hear);
    hearing.start();
    linked.serve(() -> {});
    wire.end();
    ThreadEnds.join(hearing);
  }

  private void hear() {
    try {
      to.patience(SILENCE_MS);
      while (!linked.session().hasDeparted()) {
        hear(wire.read());
      }
    } catch (StateException | ProtocolException gone) {
      lost = !api.isEnding() && !linked.session().hasDeparted();
      LOG.atDebug().log("a session's other host is gone: {}", gone.getMessage());
    } finally {
      SessionReturn coming = sessionReturn.get();
      if (coming != null) {
        coming.end("the other host is gone");
      }
      linked.session().end(Errno.EPIPE);
    }
  }

  /** Whether the session ended because the other host did, or the way to it. */
  public boolean isLost() {
    return lost;
  }

  private void hear(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Bytes bytes -> write(bytes);
      case StateItem.Written written -> pending.remove(written.call());
      case StateItem.Answered answered -> {
        pending.remove(answered.call());
        api.calls().hear(answered);
      }
      case StateItem.Notice notice -> api.calls().hear(notice);
      case StateItem.Beat said -> {
        beat = said;
        wire.sendIfIdle(said);
      }
      default -> {
        SessionReturn coming = sessionReturn.get();
        if (coming == null) {
          throw new StateException("an item that is out of place, item=" + item);
        }
        coming.hear(item);
      }
    }
  }

  private void write(StateItem.Bytes bytes) throws StateException {
    SessionReturn coming = sessionReturn.get();
    boolean wanted =
        bytes.call() == 0
            ? coming != null && coming.wants(bytes)
            : pending.covers(bytes.call(), bytes.place(), bytes.bytes().length);
    if (!wanted) {
      throw new StateException("bytes that no call writes, call=" + bytes.call());
    }
    memory
        .slice(bytes.place(), bytes.bytes().length)
        .copyFrom(MemorySegment.ofArray(bytes.bytes()));
    if (bytes.call() == 0 && coming != null) {
      coming.came(bytes);
    }
  }

  /**
   * Has the session come back to a host that has the application's descriptors.
   *
   * @param link to that host; stays the caller's
   * @param entered is told each stage as it begins
   * @throws UnmovableException when it cannot be moved, because of what it has
   * @throws StateException when it stays for another reason
   */
  public Departure.Result recall(StateLink link, boolean checkOnly, Consumer<StateStage> entered)
      throws UnmovableException, StateException {
    return recall(link, checkOnly, entered, Optional.empty());
  }

  private Departure.Result recall(
      StateLink link, boolean checkOnly, Consumer<StateStage> entered, Optional<MachineGate> gate)
      throws UnmovableException, StateException {
    SessionReturn coming =
        new SessionReturn(new SessionReturn.Near(linked, api, memory, wire), link, entered, gate);
    if (!sessionReturn.compareAndSet(null, coming)) {
      throw new StateException("it is being moved");
    }
    try {
      return coming.run(checkOnly);
    } finally {
      sessionReturn.set(null);
    }
  }

  /** As {@link #recall}, to where the session's machine moves. */
  Departure.Result recall(
      StateLink link, boolean checkOnly, Consumer<StateStage> entered, MachineGate gate)
      throws UnmovableException, StateException {
    if (linked.place() != StateItem.ApplicationPlace.MACHINE) {
      throw new StateException("it is no session of a machine");
    }
    return recall(link, checkOnly, entered, Optional.of(gate));
  }

  /**
   * The session's move away with its machine.
   *
   * @param link to the host that gets it; stays the caller's
   * @param entered is told each stage as it begins
   */
  public Leaving leaving(StateLink link, Consumer<StateStage> entered) {
    return new FarLeaving(this, link, entered);
  }

  /** Gives up its coming back, unless it was told to go on; false when it does not come. */
  public boolean stay() {
    boolean coming = sessionReturn.get() != null;
    if (coming) {
      try {
        wire.send(new StateItem.Stay());
      } catch (StateException _) {
        // it ends
      }
    }
    return coming;
  }

  @Override
  public void close() {
    wire.close();
    if (!served) {
      linked.session().discard();
    }
    linked.close();
    memory.close();
    descriptors.forEach(Fd::close);
  }
}
