package io.sluice.remoting.park;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Notices;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * A session whose objects are in a file. Its application's ring, memory and connection are here;
 * its calls wait. It comes as to an {@link Arrival}, from any host of this machine, and what it is
 * goes on into the file; it leaves for one with what the file says.
 *
 * <pre>
 *   begin → awaitGo → serve ──► leave … leave
 *                       └► the application leaves, or it is ended
 * </pre>
 */
public final class ParkedSession implements AutoCloseable {
  /** How long the host that the session leaves may say nothing while the application runs there. */
  private static final int PATIENCE_MS = 600_000;

  /** How long it may say nothing when the application waits, and a file may take. */
  private static final int GO_MS = 30_000;

  private static final int LINK_MS = 2_000;

  private final SessionSettings settings;
  private final ServedSession served;
  private final List<Fd> descriptors;
  private volatile boolean started;

  private ParkedSession(SessionSettings settings, ServedSession served, List<Fd> descriptors) {
    this.settings = settings;
    this.served = served;
    this.descriptors = descriptors;
  }

  /**
   * Takes a session's head.
   *
   * @param from the host that the session leaves; stays the caller's
   * @param file where its state goes; stays the caller's
   * @throws StateException when it does not come to that, for whatever reason
   */
  public static ParkedSession begin(SessionSettings settings, StateLink from, StateLink file)
      throws StateException {
    from.patience(PATIENCE_MS);
    if (!(from.read() instanceof StateItem.Head head)) {
      throw new StateException("a stream begins without a head");
    }
    List<Fd> fds = from.takeDescriptors(2);
    SharedMemory memory = new SharedMemory(settings.kernel(), settings.mostSharedBytes());
    ParkedSession parked = null;
    boolean complete = false;
    try {
      RemotedApi api = settings.apis().get(head.api());
      if (api == null) {
        throw new StateException("api is not served here, number=" + head.api());
      }
      if (!(from.read() instanceof StateItem.Segment segment) || segment.index() != 0) {
        throw new StateException("a session comes without segment 0");
      }
      memory.add(from, segment);
      ServedSession served =
          ServedSession.arriving(
              settings,
              new ParkedApi(api),
              head.place(),
              fds,
              memory,
              all -> SessionPort.of(settings.kernel(), all));
      parked = new ParkedSession(settings, served, fds);
      file.write(
          new StateItem.Head(
              head.api(),
              StateItem.ApplicationPlace.MOVING_MACHINE,
              head.implementation())); // nothing comes
      complete = true;
      return parked;
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a stream's descriptors are refused: " + refused.getMessage());
    } finally {
      if (parked == null) {
        memory.close();
        fds.forEach(Fd::close);
      } else if (!complete) {
        parked.close();
      }
    }
  }

  /**
   * Puts the session into the file, until the host that it leaves says to go on.
   *
   * @throws StateException when it does not say so: the session is not here
   */
  public void awaitGo(StateLink from, StateLink file) throws StateException {
    boolean complete = false;
    while (true) {
      StateItem item = complete ? lastWord(from) : from.read();
      switch (item) {
        case StateItem.Segment segment -> served.memory().add(from, segment);
        case StateItem.Prepared _ -> ask(item, file, from, PATIENCE_MS);
        case StateItem.Complete _ -> {
          ask(item, file, from, GO_MS);
          complete = true;
          from.patience(GO_MS);
        }
        case StateItem.Go _ -> {
          if (!complete) {
            throw new StateException("a session is to go on that is not complete");
          }
          return;
        }
        default -> take(item, file);
      }
    }
  }

  private static StateItem lastWord(StateLink from) throws StateException {
    try {
      return from.read();
    } catch (StateException _) {
      from.end(); // either it was said, or it cannot be any more
      return from.read();
    }
  }

  /** What is of the ring stays here, with the ring. */
  private void take(StateItem item, StateLink file) throws StateException {
    Session session = served.session();
    try {
      switch (item) {
        case StateItem.Ring ring -> {
          session.submissions().goOn(ring.submitTail());
          session.context().notices().goOn(ring.noticeHead());
          session.goOn(ring.calls());
        }
        case StateItem.Notice notice ->
            session.context().notices().add(notice.kind(), notice.status(), notice.index());
        default -> {
          requireOfState(item);
          file.write(item);
        }
      }
    } catch (ProtocolException e) {
      throw new StateException("an item cannot be, reason=" + e.getMessage());
    }
  }

  private static void requireOfState(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Root _,
          StateItem.Made _,
          StateItem.Changed _,
          StateItem.Gone _,
          StateItem.Content _,
          StateItem.Settled _,
          StateItem.Open _,
          StateItem.Mapped _,
          StateItem.Failure _ -> {}
      default -> throw new StateException("an item that is out of place, item=" + item);
    }
  }

  /** Hands a question on, and its answer back. */
  private static void ask(StateItem question, StateLink to, StateLink from, int patienceMs)
      throws StateException {
    to.write(question);
    to.flush();
    to.patience(patienceMs);
    StateItem answer = to.read();
    from.write(answer);
    from.flush();
    switch (answer) {
      case StateItem.Ready _ -> {}
      case StateItem.Refused refused ->
          throw new StateException("refused: " + String.join("; ", refused.reasons()));
      default -> throw new StateException("what was asked is not answered");
    }
  }

  /** The session as it is here. */
  public ServedSession served() {
    return served;
  }

  /**
   * Watches the application, after {@link #awaitGo}, until it leaves, the session is ended, or
   * another host serves it; nothing of it is left here when this returns.
   */
  public void serve() {
    started = true;
    served.serve(() -> {});
  }

  /**
   * Has another host serve the session, as the file says.
   *
   * @param to that host; stays the caller's
   * @param file that the session was put into; stays the caller's
   * @param entered is told each stage as it begins
   * @throws UnmovableException when that host cannot make it
   * @throws StateException when it stays for another reason
   */
  public Departure.Result leave(StateLink to, StateLink file, Consumer<StateStage> entered)
      throws UnmovableException, StateException {
    long begunNs = settings.nanoTime().getAsLong();
    boolean done = false;
    entered.accept(StateStage.PREPARE);
    try {
      if (!served.hold(LINK_MS)) {
        throw new StateException("the application is in the middle of a link's message");
      }
      var _ = served.session().pause(); // nothing is written into the ring any more
      int rounds = send(to, file);
      entered.accept(StateStage.FINISH);
      finish(to, file);
      entered.accept(StateStage.HAND_OVER);
      served.leave();
      done = true;
      entered.accept(StateStage.DONE);
      long tookNs = settings.nanoTime().getAsLong() - begunNs;
      return new Departure.Result(rounds, to.sentBytes(), tookNs);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } finally {
      if (!done) {
        served.session().resume();
        served.release();
        entered.accept(StateStage.ABORTED);
      }
    }
  }

  /** All that the file has, up to where it is complete. */
  private int send(StateLink to, StateLink file) throws UnmovableException, StateException {
    file.patience(GO_MS);
    if (!(file.read() instanceof StateItem.Head head)) {
      throw new StateException("a file begins without a head");
    }
    to.write(
        new StateItem.Head(served.api().number(), served.place(), head.implementation()),
        served.descriptors());
    for (int i = 0; i < SharedMemory.MOST_SEGMENTS; i++) {
      long bytes = served.memory().segmentBytes(i);
      if (bytes > 0) {
        SharedMemory.BackingFiles backing = served.memory().backing(i);
        to.write(new StateItem.Segment(i, bytes, backing.parts()), backing.files());
      }
    }
    int rounds = 0;
    for (StateItem item = file.read(); !(item instanceof StateItem.Complete); item = file.read()) {
      if (item instanceof StateItem.Prepared) {
        rounds++;
        answered(item, to, file);
      } else {
        requireOfState(item);
        to.write(item);
      }
    }
    return rounds;
  }

  private static void answered(StateItem question, StateLink to, StateLink file)
      throws UnmovableException, StateException {
    to.write(question);
    to.flush();
    to.patience(PATIENCE_MS);
    StateItem answer = to.read();
    file.write(answer);
    file.flush();
    switch (answer) {
      case StateItem.Ready _ -> {}
      case StateItem.Refused refused -> throw new UnmovableException(refused.reasons());
      default -> throw new StateException("the other session host does not answer what was asked");
    }
  }

  /** What belongs to the ring is this host's to say; then the other one goes on. */
  private void finish(StateLink to, StateLink file) throws UnmovableException, StateException {
    Session session = served.session();
    List<StateItem> own =
        get(
            session.ask(() -> {
              List<StateItem> items = new ArrayList<>();
              Notices notices = session.context().notices();
              for (long[] notice : notices.waiting()) {
                items.add(new StateItem.Notice((int) notice[0], (int) notice[1], (int) notice[2]));
              }
              items.add(
                  new StateItem.Ring(
                      session.submissions().tail(), notices.head(), session.calls()));
              return items;
            }));
    for (StateItem item : own) {
      to.write(item);
    }
    answered(new StateItem.Complete(), to, file);
    boolean _ =
        get(
            session.handOver(() -> {
              to.write(new StateItem.Go());
              to.flush();
              return true;
            }));
  }

  private static <T> T get(CompletableFuture<T> result) throws StateException {
    try {
      return result.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } catch (CancellationException | ExecutionException failed) {
      throw new StateException("the session is at its end: " + failed.getMessage());
    }
  }

  @Override
  public void close() {
    if (!started) {
      served.session().discard();
    }
    served.close();
    served.memory().close();
    descriptors.forEach(Fd::close);
  }
}
