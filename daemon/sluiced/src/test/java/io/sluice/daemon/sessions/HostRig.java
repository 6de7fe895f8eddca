package io.sluice.daemon.sessions;

import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.turns.TurnKeeper;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.ControlLink;
import io.sluice.testbed.checks.StandIn;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's side of session hosts that this process plays: the real kernel, of which a call can
 * be made to fail once, as can the next thread that is made.
 */
final class HostRig implements AutoCloseable {
  /** A call that is to fail. */
  private record Planned(String call, String argument, Throwable failure) {}

  final List<Long> killed = new CopyOnWriteArrayList<>();
  final List<FakeProcess> processes = new CopyOnWriteArrayList<>();
  final List<Fd> pairs = new CopyOnWriteArrayList<>(); // of sockets
  final BlockingQueue<ControlLink> hosts = new LinkedBlockingQueue<>();
  private final List<ControlLink> links = new CopyOnWriteArrayList<>();
  final Kernel kernel;
  final HostDoor door;
  final GuestSessions.Surroundings surroundings;
  private final AtomicReference<@Nullable Planned> planned = new AtomicReference<>();
  private final AtomicReference<@Nullable Error> thread = new AtomicReference<>();
  private final ThreadFactory real = Thread.ofPlatform().daemon().factory();
  private volatile boolean endless;
  private final TurnKeeper turns;
  private final Path socket;

  HostRig(Path directory) throws Exception {
    Kernel whole = RealKernel.create();
    kernel =
        StandIn.of(
            Kernel.class,
            whole,
            call -> {
              failIfPlanned(call);
              Object result = call.pass();
              if (call.is("socketpair") && result instanceof List<?> ends) {
                ends.forEach(end -> pairs.add((Fd) end));
              }
              return result;
            });
    SandboxKernel killing =
        (SandboxKernel)
            Proxy.newProxyInstance(
                SandboxKernel.class.getClassLoader(),
                new Class<?>[] {SandboxKernel.class},
                (_, _, arguments) -> {
                  killed.add((Long) arguments[0]);
                  return null;
                });
    turns = new TurnKeeper(kernel, this::newThread, System::nanoTime, _ -> quota());
    socket = directory.resolve("hosts.sock");
    door = HostDoor.open(kernel, socket, this::newThread);
    surroundings =
        new GuestSessions.Surroundings(
            kernel,
            killing,
            turns,
            this::newThread,
            System::nanoTime,
            (_, _) -> {},
            directory,
            () -> SessionRoute.NONE);
  }

  private static Quota quota() {
    return new Quota(0, 1, Quota.NO_LIMIT, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));
  }

  private Thread newThread(Runnable work) {
    Error failure = thread.getAndSet(null);
    if (failure != null) {
      throw failure;
    }
    return real.newThread(work);
  }

  private void failIfPlanned(StandIn.Call call) throws Throwable {
    Planned plan = planned.get();
    if (plan != null
        && call.is(plan.call())
        && (plan.argument().isEmpty()
            || (!call.arguments().isEmpty() && plan.argument().equals(call.arguments().getFirst())))
        && planned.compareAndSet(plan, null)) {
      throw plan.failure();
    }
  }

  /**
   * Makes the next call fail.
   *
   * @param argument its first; empty for any
   */
  void fail(String call, String argument, Throwable failure) {
    planned.set(new Planned(call, argument, failure));
  }

  /** Makes the next thread fail. */
  void failThread() {
    thread.set(new OutOfMemoryError("injected: no thread"));
  }

  /** Hosts to come have words that do not end when they do. */
  void endlessWords() {
    endless = true;
  }

  /** A pipe whose other end nobody closes. */
  private static final class EndlessStream extends InputStream {
    @Override
    public int read() {
      while (true) {
        LockSupport.park();
      }
    }
  }

  /**
   * What hears a guest's hosts.
   *
   * @param patience until they serve
   */
  HostHearing hearing(String guest, Duration patience) {
    return new HostHearing(guest, kernel, turns, this::newThread, System::nanoTime, patience);
  }

  /** A socket of applications. */
  SessionSocket socket(Path path) throws Exception {
    return SessionSocket.open(
        kernel,
        new SocketFile(path, "the session socket", ErrorCode.SESSION_SOCKET),
        Optional.empty());
  }

  /** A connection at the door, from this process. */
  Fd connect() {
    return kernel.connect(socket);
  }

  /** A host that this process is to be. */
  FakeProcess process() {
    FakeProcess made = new FakeProcess(ProcessHandle.current().pid());
    if (endless) {
      made.words = new EndlessStream();
    }
    processes.add(made);
    return made;
  }

  /** A host that has connected before anybody knows of it. */
  Process start() {
    FakeProcess made = process();
    ControlLink link = new ControlLink(kernel, connect());
    links.add(link);
    hosts.add(link);
    return made;
  }

  @Override
  public void close() throws Exception {
    links.forEach(ControlLink::close);
    door.close();
    turns.close();
  }

  /** A process of which nothing is there but its number. */
  static class FakeProcess extends Process {
    private final long pid;
    volatile int exitValue = 137;
    private volatile InputStream words = InputStream.nullInputStream();
    private final CompletableFuture<Process> exit = new CompletableFuture<>();

    FakeProcess(long pid) {
      this.pid = pid;
    }

    @Override
    public long pid() {
      return pid;
    }

    @Override
    public OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return words;
    }

    @Override
    public int waitFor() {
      exit.join();
      return exitValue();
    }

    @Override
    public int exitValue() {
      return exitValue;
    }

    @Override
    public boolean isAlive() {
      return !exit.isDone();
    }

    @Override
    public CompletableFuture<Process> onExit() {
      return exit;
    }

    @Override
    public void destroy() {
      boolean _ = exit.complete(this);
    }

    @Override
    public Process destroyForcibly() {
      destroy();
      return this;
    }
  }
}
