package io.sluice.daemon.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RateLimit;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.management.ErrorCode;
import io.sluice.management.NotificationTypes;
import io.sluice.management.local.SocketFile;
import io.sluice.vdevice.ForeignFds;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which a guest's CUDA programs come in. A thread accepts them, at a bounded pace;
 * each is served on a thread of its own until it has left. When the door closes all are sent away,
 * and waited for.
 */
final class RelayDoor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayDoor.class);

  /** Connections beyond the programs there may be: the relay tells those why it takes no more. */
  static final int SPARE = 8;

  /** Programs that may come at once; those beyond wait for their turn. */
  static final int BURST = 64;

  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final int BACKLOG = 128;

  /** Lines of the log about programs that are turned away, at once and in the long run. */
  private static final int LINES = 4;

  private static final Duration LINE_INTERVAL = Duration.ofSeconds(10);

  /** The pause when accepting has failed: what is missing may come back. */
  private static final long FAILED_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often programs' time slices are looked at, which other guests may have changed. */
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long programs that are sent away are waited for, all together; and the door's thread. */
  private static final long END_NS = TimeUnit.SECONDS.toNanos(10);

  private static final Duration END_WAIT = Duration.ofNanos(END_NS);

  private final GuestSettings guest;
  private final GuestRelays relays;
  private final CudaPrograms.Surroundings surroundings;
  private final Kernel kernel;
  private final SocketFile file;
  private final ForeignFds foreign;
  private final Fd listener;
  private final Fd wake;
  private final Fd begun; // a program, whose time is to be looked at from now on
  private final RateLimit pace;
  private final RateLimit machinePace; // of the device's thread
  private final RateLimit lines;
  private final LoopFailures failures = new LoopFailures(LOG, "accepting CUDA programs");
  private final Thread thread;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Set<Thread> serving = new HashSet<>();

  @GuardedBy("lock")
  private long turnedAway;

  private RelayDoor(
      GuestSettings guest,
      GuestRelays relays,
      CudaPrograms.Surroundings surroundings,
      SocketFile file,
      ForeignFds foreign,
      Fd listener) {
    this.guest = guest;
    this.relays = relays;
    this.surroundings = surroundings;
    this.kernel = surroundings.kernel();
    this.file = file;
    this.foreign = foreign;
    this.listener = listener;
    pace = new RateLimit(BURST, INTERVAL, surroundings.nanoTime());
    machinePace = new RateLimit(BURST, INTERVAL, surroundings.nanoTime());
    lines = new RateLimit(LINES, LINE_INTERVAL, surroundings.nanoTime());
    thread = surroundings.threads().newThread(this::accept);
    thread.setName("sluice-" + guest.name() + "-cuda");
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
    begun = kernel.eventfd(0, Kernel.NONBLOCK);
  }

  /**
   * Opens it; programs come in at once.
   *
   * @param relays are closed with it, or when this throws
   */
  static RelayDoor open(
      GuestSettings guest, GuestRelays relays, CudaPrograms.Surroundings surroundings)
      throws OperationsException, IOException {
    SocketFile file =
        new SocketFile(
            guest.cudaSocket(),
            "the socket of CUDA programs of guest \"" + guest.name() + "\",",
            ErrorCode.PROGRAM_SOCKET);
    ForeignFds foreign =
        new ForeignFds(surroundings.kernel(), guest.name() + "-cuda", surroundings.threads());
    Fd[] listener = new Fd[1];
    RelayDoor[] door = new RelayDoor[1];
    boolean complete = false;
    try {
      file.publish(
          surroundings.socketGroup(),
          ErrorCode.PROGRAM_SOCKET,
          staged -> {
            listener[0] = foreign.apply(surroundings.kernel().listen(staged, BACKLOG));
            door[0] = new RelayDoor(guest, relays, surroundings, file, foreign, listener[0]);
          });
      door[0].thread.start();
      complete = true;
      return door[0];
    } finally {
      if (!complete) {
        release(relays, file, listener[0], door[0]);
        foreign.close();
      }
    }
  }

  private static void release(
      GuestRelays relays, SocketFile file, @Nullable Fd listener, @Nullable RelayDoor door)
      throws IOException {
    relays.close();
    if (listener != null) {
      listener.close();
    }
    if (door != null) {
      door.wake.close();
      door.begun.close();
      file.delete();
    }
  }

  GuestSettings guest() {
    return guest;
  }

  /** The relay that knows all of the guest's programs. */
  ProgramRelay relay() {
    return relays.own();
  }

  GuestRelays relays() {
    return relays;
  }

  /** Descriptors of programs, and connections, that wait to be closed. */
  int unclosed() {
    return foreign.waiting();
  }

  /** Connections, and programs of machines, turned away so far. */
  long turnedAway() {
    synchronized (lock) {
      return turnedAway;
    }
  }

  private void accept() {
    while (!closed.get()) {
      try {
        acceptOne();
      } catch (RuntimeException | Error e) {
        // No descriptors, memory or threads are left, most likely: all may come back.
        if (!closed.get() && !(e instanceof SyscallException gone && gone.is(Errno.ECONNABORTED))) {
          failures.note(e);
          LockSupport.parkNanos(this, FAILED_NS);
        }
      }
    }
  }

  private void acceptOne() {
    if (!pace.tryTake()) {
      int _ =
          kernel.pollNs(
              List.of(wake), new short[] {Kernel.POLLIN}, new short[1], pace.untilNextNs());
      return;
    }
    boolean hasRoom = foreign.waiting() <= ForeignFds.MOST_WAITING; // or who comes waits
    short[] ready = new short[3];
    short[] wanted = {Kernel.POLLIN, hasRoom ? Kernel.POLLIN : 0, Kernel.POLLIN};
    long patience = hasPrograms() || !hasRoom ? LOOK_NS : -1;
    int _ = kernel.pollNs(List.of(wake, listener, begun), wanted, ready, patience);
    long _ = kernel.drain(begun);
    relays.all().forEach(ProgramRelay::refresh); // on this thread, which is the guest's own
    if (ready[0] != 0 || ready[1] == 0) {
      return;
    }
    Fd connection = foreign.apply(kernel.accept(listener));
    boolean served = false;
    try {
      PeerCredentials peer = kernel.peerCredentials(connection);
      served =
          begin(
              peer,
              () -> {
                try (connection) {
                  relays.own().serve(connection, foreign);
                }
              });
    } finally {
      if (!served) {
        connection.close();
      }
    }
  }

  private boolean hasPrograms() {
    synchronized (lock) {
      return !serving.isEmpty();
    }
  }

  /** Whether one more program of the guest's machine may come now; asked once for each. */
  boolean admitsMachine() {
    if (closed.get()) {
      return false;
    }
    boolean inPace = machinePace.tryTake();
    synchronized (lock) {
      if (inPace && hasPlace()) {
        return true;
      }
      turnedAway++;
      return false;
    }
  }

  @GuardedBy("lock")
  private boolean hasPlace() {
    return serving.size() < guest.programs().cudaPrograms() + SPARE;
  }

  /**
   * Begins to serve a program in the guest's machine.
   *
   * @param port its session; is closed when it is served no longer
   * @param ended told then, at the end of all
   * @return false when there are too many; the port stays the caller's
   */
  boolean serve(MachinePort port, PeerCredentials machine, Runnable ended) {
    return begin(
        machine,
        () -> {
          try (port) {
            relays.own().serve(port, machine);
          } finally {
            ended.run();
          }
        });
  }

  /** Whether a program has a thread, which does the work and lets go of all. */
  private boolean begin(PeerCredentials peer, Runnable work) {
    String program = text(peer);
    Thread made = surroundings.threads().newThread(() -> serve(work, program));
    made.setName("cuda-" + peer.pid());
    synchronized (lock) {
      if (!hasPlace()) {
        turnedAway++;
        tellTurnedAway(program);
        return false;
      }
      serving.add(made);
    }
    boolean started = false;
    try {
      made.start();
      started = true;
      lookAtTime();
      return true;
    } finally {
      if (!started) {
        forget(made);
      }
    }
  }

  /** Has the thread of the door look at programs' time from now on, if it does not yet. */
  private void lookAtTime() {
    synchronized (lock) {
      if (begun.isOpen()) {
        kernel.signal(begun);
      }
    }
  }

  private void tellTurnedAway(String program) {
    if (lines.tryTake()) {
      LOG.atWarn()
          .addKeyValue("code", ErrorCode.PROGRAM_REFUSED.code())
          .addKeyValue("guest", guest.name())
          .addKeyValue("program", program)
          .log("a CUDA program is turned away: there are too many");
    }
  }

  private void serve(Runnable work, String program) {
    try {
      tell(NotificationTypes.PROGRAM_OPENED, program);
      work.run();
    } catch (RuntimeException | Error e) {
      LOG.atError()
          .addKeyValue("guest", guest.name())
          .addKeyValue("program", program)
          .setCause(e)
          .log("a CUDA program could not be served any longer");
    } finally {
      forget(Thread.currentThread());
      relays.release();
      tell(NotificationTypes.PROGRAM_ENDED, program);
    }
  }

  /** A program as it is told of. */
  static String text(PeerCredentials peer) {
    return ProcessNames.ofPeer(peer.pid()) + ", pid " + peer.pid();
  }

  /**
   * Tells of a program. What fails here is no reason not to serve one, nor to keep what it had.
   *
   * @param what the type of the notification
   */
  void tell(String what, String program) {
    try {
      surroundings.tell().accept(what, guest.name() + " " + program);
    } catch (RuntimeException | Error e) {
      failures.note(e);
    }
  }

  private void forget(Thread made) {
    synchronized (lock) {
      serving.remove(made);
    }
  }

  /** Lets nobody in any more, sends all away, and waits for them; again, it does nothing. */
  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    kernel.signal(wake);
    try {
      awaitThread(thread, END_WAIT, "the thread that lets CUDA programs in does not end");
      file.delete();
    } finally {
      listener.close();
      wake.close();
      synchronized (lock) {
        begun.close();
      }
      relays.close();
      awaitAll();
      relays.release();
      awaitClosed();
    }
  }

  private void awaitClosed() {
    if (!foreign.await(0, END_WAIT)) {
      LOG.atWarn()
          .addKeyValue("guest", guest.name())
          .addKeyValue("waiting", foreign.waiting())
          .log("descriptors of CUDA programs cannot be closed");
    }
    foreign.close();
  }

  private void awaitAll() {
    Set<Thread> left;
    synchronized (lock) {
      left = Set.copyOf(serving);
    }
    long untilNs = surroundings.nanoTime().getAsLong() + END_NS;
    for (Thread each : left) {
      Duration wait = Duration.ofNanos(untilNs - surroundings.nanoTime().getAsLong());
      awaitThread(
          each,
          wait.isNegative() ? Duration.ZERO : wait,
          "a CUDA program that was sent away is still served");
    }
  }

  /**
   * @param otherwise what is logged when it does not end in time
   */
  private void awaitThread(Thread thread, Duration patience, String otherwise) {
    try {
      if (thread.isAlive() && !thread.join(patience)) {
        LOG.atError()
            .addKeyValue("guest", guest.name())
            .addKeyValue("thread", thread.getName())
            .log(otherwise);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
