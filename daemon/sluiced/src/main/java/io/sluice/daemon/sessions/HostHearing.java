package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.turns.TurnKeeper;
import io.sluice.daemon.turns.TurnSeat;
import io.sluice.vdevice.ForeignFds;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The hearing of one guest's session hosts, on threads of their own: what a host says and writes,
 * and the end of what it sends, can last as long as it likes. Nobody waits for that for longer than
 * {@link #LAST_WORDS}; a guest whose hosts have left too much of it gets no other until it is less.
 */
final class HostHearing implements AutoCloseable {
  /** How long a Java on a busy machine may take until it serves, twice. */
  static final Duration START_PATIENCE = Duration.ofSeconds(120);

  /** How long a host is heard that is at its end. */
  static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /** Threads that hear hosts of which nothing should be left. */
  static final int MOST_LEFT = 8;

  private final String guest;
  private final Kernel kernel;
  private final TurnKeeper turns;
  private final ThreadFactory threads;
  private final LongSupplier nanoTime;
  private final HostWords words;
  private final ForeignFds foreign;
  private final Duration patience;

  @GuardedBy("itself")
  private final List<Thread> left = new ArrayList<>();

  HostHearing(
      String guest, Kernel kernel, TurnKeeper turns, ThreadFactory threads, LongSupplier nanoTime) {
    this(guest, kernel, turns, threads, nanoTime, START_PATIENCE);
  }

  /**
   * @param patience how long a host that has connected may take until it serves
   */
  HostHearing(
      String guest,
      Kernel kernel,
      TurnKeeper turns,
      ThreadFactory threads,
      LongSupplier nanoTime,
      Duration patience) {
    this.guest = guest;
    this.patience = patience;
    this.kernel = kernel;
    this.turns = turns;
    this.threads = threads;
    this.nanoTime = nanoTime;
    words = new HostWords(guest, nanoTime);
    foreign = new ForeignFds(kernel, guest + "-hosts", threads);
  }

  /** How descriptors of hosts are closed: their connections, and what they send. */
  UnaryOperator<Fd> custody() {
    return foreign;
  }

  /** Descriptors of hosts, and of who waited for one, that wait to be closed. */
  int unclosed() {
    return foreign.waiting();
  }

  /** Refuses another host while there is too much left of others. */
  void checkRoom() throws IOException {
    int fds = foreign.waiting();
    if (fds > ForeignFds.MOST_WAITING) {
      throw new IOException("descriptors of an earlier one are not closed yet, n=" + fds);
    }
    synchronized (left) {
      left.removeIf(thread -> !thread.isAlive());
      if (left.size() >= MOST_LEFT) {
        throw new IOException("earlier ones are not at their end yet, n=" + left.size());
      }
    }
  }

  /** Begins to hear what a process writes to its standard error. */
  Thread hearWords(Process process, String name) {
    return start(name, () -> words.read(process));
  }

  private Thread start(String name, Runnable work) {
    Thread made = threads.newThread(work);
    made.setName(name);
    made.start();
    return made;
  }

  /** Waits a little for a thread that hears a host of which nothing is left. */
  void leave(@Nullable Thread thread) throws InterruptedException {
    if (thread != null && !thread.join(LAST_WORDS)) {
      synchronized (left) {
        left.add(thread);
      }
    }
  }

  /**
   * Has a host serve until its link ends, or is to end, or its process has ended.
   *
   * @param connection owned from now on
   * @param begin gives it its orders, and says who listens; on the thread that hears
   * @return why it ended, in words
   */
  String serve(
      Process process, Fd connection, BiFunction<ServingHost, TurnSeat, HostLink.Listener> begin)
      throws InterruptedException {
    HostLink link = HostLink.of(kernel, connection, nanoTime, foreign);
    ServingHost host = new ServingHost(guest, link, nanoTime);
    TurnSeat seat = null;
    Thread thread = null;
    try {
      TurnSeat made = turns.join(guest, process, host::end);
      seat = made;
      CompletableFuture<String> heard = new CompletableFuture<>();
      thread =
          start(
              "sluice-" + guest + "-link", () -> hear(link, () -> begin.apply(host, made), heard));
      var _ = process.onExit().thenRun(link::end); // others may have the other end
      if (!link.awaitServing(patience)) {
        host.end("it does not come to serve");
      }
      link.awaitEnd();
      return host.reason(lastWords(heard));
    } finally {
      turns.leave(seat);
      end(link, thread);
    }
  }

  private static void hear(
      HostLink link, Supplier<HostLink.Listener> begin, CompletableFuture<String> heard) {
    try (link) {
      boolean _ = heard.complete(link.run(begin.get()));
    } catch (RuntimeException | Error e) {
      boolean _ = heard.completeExceptionally(e);
    }
  }

  private static String lastWords(CompletableFuture<String> heard) throws InterruptedException {
    try {
      return heard.get(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return "it is not heard to its end";
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause();
    }
  }

  /** The thread that hears closes the link, if there is one. */
  private void end(HostLink link, @Nullable Thread thread) {
    if (thread == null) {
      link.close();
      return;
    }
    link.end();
    if (thread.isAlive()) {
      synchronized (left) {
        left.add(thread);
      }
    }
  }

  /** What is left ends when it likes. */
  @Override
  public void close() {
    foreign.close();
  }
}
