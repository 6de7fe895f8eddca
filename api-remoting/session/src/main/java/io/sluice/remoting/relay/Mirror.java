package io.sluice.remoting.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.RingLayout;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The far end of a session whose application is on another host: it plays the application. The
 * session is an ordinary one that {@linkplain Arrival arrives} with a connection, a doorbell and
 * memory of this end's own, as large as the application's; of the application's bytes there are
 * those that its calls name. {@link SessionRelay} is the near end, and is taken for hostile.
 */
public final class Mirror implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);

  /** How long the near end may say nothing before the session is here. */
  private static final int PATIENCE_MS = 600_000;

  private final SessionSettings settings;
  private final StateLink net;
  private final SharedMemory memory;
  private final Fd peer; // the application's end of the connection
  private final Fd doorbell;
  private final StateLink state; // to the arrival
  private final StateLink arriving;
  private final MirrorCalls calls = new MirrorCalls();
  private final MirrorOutbox outbox;
  private final MirrorAnswers answers;
  private final MirrorNotices notices;
  private final Thread sender;
  private final Thread replies;
  private final CompletableFuture<Arrival> arrival = new CompletableFuture<>();
  private volatile @Nullable MirrorDeparture departure;
  private volatile @Nullable Thread departing;
  private @Nullable Fd connection; // until the arrival has it
  private final AtomicLong chargedBytes = new AtomicLong();

  private Mirror(SessionSettings settings, StateLink net) {
    this.settings = settings;
    this.net = net;
    Kernel kernel = settings.kernel();
    memory = new SharedMemory(kernel, settings.mostSharedBytes());
    List<Fd> pair = kernel.socketpair();
    peer = pair.get(0);
    connection = pair.get(1);
    doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
    List<Fd> stream = kernel.socketpair();
    state = new StateLink(kernel, stream.get(0));
    arriving = new StateLink(kernel, stream.get(1));
    outbox = new MirrorOutbox(net, memory, settings.nanoTime(), this::beat);
    answers = new MirrorAnswers(calls, outbox);
    notices = new MirrorNotices(outbox);
    sender = thread(outbox::run);
    replies = thread(this::reply);
  }

  private Thread thread(Runnable work) {
    Thread thread = settings.threads().newThread(work);
    thread.start();
    return thread;
  }

  /**
   * Takes a session of an application on another host, up to where it is served here.
   *
   * @param net to its host; stays the caller's
   * @throws StateException when it does not come to that; it is not this host's then
   */
  public static Mirror begin(SessionSettings settings, StateLink net) throws StateException {
    net.patience(PATIENCE_MS);
    Mirror mirror = new Mirror(settings, net);
    boolean complete = false;
    try {
      Thread _ = mirror.thread(mirror::arrive);
      mirror.hearState();
      mirror.await();
      complete = true;
      return mirror;
    } catch (SyscallException | ProtocolException refused) {
      throw new StateException("a stream is refused: " + refused.getMessage());
    } finally {
      if (!complete) {
        mirror.close();
      }
    }
  }

  private void arrive() {
    Arrival begun = null;
    try {
      begun = Arrival.begin(settings, arriving, _ -> new SessionPort(calls, answers, notices));
      SessionContext context = begun.session().session().context();
      answers.settleBy(context::settle);
      notices.settleBy(context::settle);
      begun.awaitGo();
      boolean _ = arrival.complete(begun);
    } catch (StateException | RuntimeException | Error failure) {
      if (begun != null) {
        begun.close();
      }
      outbox.add(new StateItem.Refused(List.of(String.valueOf(failure.getMessage()))));
      boolean _ = arrival.completeExceptionally(failure);
      arriving.end();
    }
  }

  private void await() throws StateException {
    try {
      Arrival _ = arrival.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the arrival was interrupted");
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      throw new StateException(String.valueOf(cause == null ? null : cause.getMessage()));
    }
  }

  /** What the arrival answers. */
  private void reply() {
    try {
      while (true) {
        outbox.add(state.read());
      }
    } catch (StateException | ProtocolException _) {
      if (!arrival.isDone() || arrival.isCompletedExceptionally()) {
        outbox.end();
        ThreadEnds.join(sender); // the near end is told why first
        net.end();
      }
    }
  }

  private void hearState() throws StateException {
    while (true) {
      StateItem item = net.read();
      switch (item) {
        case StateItem.Head _ -> head(item);
        case StateItem.Segment segment -> segment(segment);
        case StateItem.Bytes bytes -> write(bytes);
        case StateItem.Writes writes -> {
          requireWithin(writes.written());
          answers.expect(writes.serial(), writes.written());
        }
        case StateItem.Prepared _, StateItem.Complete _ -> {
          state.write(item);
          state.flush();
        }
        case StateItem.Go _ -> {
          state.write(item);
          state.flush();
          return;
        }
        default -> state.write(item);
      }
    }
  }

  private void head(StateItem head) throws StateException {
    Fd given = connection;
    if (given == null) {
      throw new StateException("a stream has two heads");
    }
    connection = null;
    try (given) {
      state.write(head, List.of(given, doorbell));
    }
  }

  /** Memory of this end's own. */
  private void segment(StateItem.Segment segment) throws StateException {
    try (Fd file = file(segment.index(), segment.bytes())) {
      state.write(segment, List.of(file));
    }
  }

  /** What is kept of an application's memory counts against its guest's limit, as objects do. */
  private Fd file(int index, long bytes) {
    if (bytes > settings.mostSharedBytes() - memory.bytes() || !settings.account().charge(bytes)) {
      throw new ProtocolException(Errno.ENOMEM, "segments are too large, bytes=" + bytes);
    }
    long _ = chargedBytes.addAndGet(bytes);
    Kernel kernel = settings.kernel();
    Fd file = kernel.memfdCreate("sluice-mirror", bytes);
    boolean complete = false;
    try {
      kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
      memory.add(index, file, bytes);
      complete = true;
      return file;
    } finally {
      if (!complete) {
        file.close();
      }
    }
  }

  private void write(StateItem.Bytes bytes) {
    memory
        .slice(bytes.place(), bytes.bytes().length)
        .copyFrom(MemorySegment.ofArray(bytes.bytes()));
  }

  private void requireWithin(List<MemoryRange> ranges) {
    for (MemoryRange range : ranges) {
      MemorySegment _ = memory.slice(range.place(), range.size());
    }
  }

  /** The session, once this has begun. */
  public ServedSession linked() {
    return arrival.join().session();
  }

  private StateItem.Beat beat() {
    if (!arrival.isDone() || arrival.isCompletedExceptionally()) {
      return new StateItem.Beat(List.of(), 0);
    }
    Session session = linked().session();
    return new StateItem.Beat(
        session.objectCounts().stream().map(Integer::longValue).toList(), session.chargedBytes());
  }

  /** Serves the application; nothing of it is left when this returns. */
  public void serve() {
    Thread hearing = thread(this::hear);
    try {
      arrival.join().serve();
    } finally {
      calls.close();
      Thread leaving = departing;
      if (leaving != null) {
        ThreadEnds.join(leaving); // it may have the last word to say
      }
      outbox.end();
      ThreadEnds.join(sender); // what is on its way goes first
      net.end();
      ThreadEnds.join(hearing);
    }
  }

  /** Ends it soon; from any thread. */
  public void end() {
    net.end();
  }

  private void hear() {
    net.patience(SessionRelay.SILENCE_MS);
    try {
      while (true) {
        hear(net.read());
      }
    } catch (StateException | ProtocolException gone) {
      LOG.atDebug().log("an application's host is gone: {}", gone.getMessage());
    } finally {
      MirrorDeparture leaving = departure;
      if (leaving != null) {
        leaving.giveUp();
      }
      calls.close();
      linked().session().end();
      settings.kernel().shutdown(peer);
    }
  }

  private void hear(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Bytes bytes -> write(bytes);
      case StateItem.Sent sent -> sent(sent);
      case StateItem.Beat _ -> {}
      case StateItem.Segment segment -> {
        try (Fd file = file(segment.index(), segment.bytes())) {
          linked().memory().add(segment.index(), file, segment.bytes());
        }
      }
      case StateItem.Wanted wanted -> {
        requireWithin(List.of(wanted.range()));
        outbox.add(0, List.of(wanted.range()), wanted);
      }
      case StateItem.Recall recall -> recall(recall.checkOnly());
      case StateItem.Ready _, StateItem.Refused _, StateItem.Held _, StateItem.Stay _ -> {
        MirrorDeparture leaving = departure;
        if (leaving != null) { // else the near end did not know yet that it is over
          leaving.hear(item);
        }
      }
      default -> throw new StateException("an item that is out of place, item=" + item);
    }
  }

  private void sent(StateItem.Sent sent) throws StateException {
    if (sent.message().length < RingLayout.HEADER_BYTES) {
      throw new StateException("a call is no message, bytes=" + sent.message().length);
    }
    requireWithin(sent.written());
    calls.put(sent);
    // The session says that it sleeps, as to any application.
    if ((int) RingLayout.WORD.getAndSet(memory.segment(0), RingLayout.HOST_SLEEPING, 0) != 0) {
      settings.kernel().signal(doorbell);
    }
  }

  private void recall(boolean checkOnly) throws StateException {
    if (departure != null) {
      throw new StateException("the session is leaving already");
    }
    MirrorDeparture leaving = new MirrorDeparture(settings, linked(), outbox);
    departure = leaving;
    departing =
        thread(() -> {
          try {
            leaving.run(checkOnly);
          } finally {
            departure = null;
            leaving.tell();
          }
        });
  }

  /** When nothing serves it. */
  @Override
  public void close() {
    net.end();
    state.end();
    arriving.end();
    calls.close();
    outbox.end();
    ThreadEnds.join(sender);
    ThreadEnds.join(replies);
    Arrival come = arrival.exceptionally(_ -> null).join();
    if (come != null) {
      come.close();
    }
    state.close();
    arriving.close();
    peer.close();
    doorbell.close();
    Fd given = connection;
    if (given != null) {
      given.close();
    }
    memory.close();
    settings.account().release(chargedBytes.get());
  }
}
