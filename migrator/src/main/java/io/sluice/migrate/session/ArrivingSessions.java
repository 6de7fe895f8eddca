package io.sluice.migrate.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.vdevice.session.MachineSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a machine that comes. A thread takes their streams, one after another, says of
 * which session each is, and hands it to the device; what comes then is the session host's to
 * judge. Once the machine is here, or does not come, no word counts any more: whoever has not
 * finished one is cut off.
 */
final class ArrivingSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ArrivingSessions.class);

  private static final int BACKLOG = 64;

  /** Words of a machine's move: its sessions and their segments, many times over. */
  private static final int MOST_WORDS = 100_000;

  private final Kernel kernel;
  private final MachineSessions sessions;
  private final RamTransport.Target way;
  private final Fd listener;
  private final Thread thread;
  private final ThreadFactory threads;
  private final Set<Integer> came = ConcurrentHashMap.newKeySet(); // handles
  private final Object lock = new Object();

  /** The stream whose word is being heard: later it may be that of a session that goes on. */
  @GuardedBy("lock")
  private @Nullable Fd hearing;

  private volatile boolean closed; // changes by lock

  /**
   * @param way of their streams, owned once this is made
   */
  ArrivingSessions(
      Kernel kernel, MachineSessions sessions, RamTransport.Target way, ThreadFactory threads) {
    this.kernel = kernel;
    this.sessions = sessions;
    this.way = way;
    this.threads = threads;
    Path socket = Path.of(way.uri().substring("unix:".length()));
    remove(socket);
    thread = threads.newThread(this::accept);
    listener = kernel.listen(socket, BACKLOG);
    boolean complete = false;
    try {
      thread.start();
      way.listening();
      complete = true;
    } finally {
      if (!complete) { // the way stays whose it was
        end();
        join();
        listener.close();
      }
    }
  }

  /** A daemon that was ended leaves its sockets behind. */
  private static void remove(Path socket) {
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }

  RamTransport.Target way() {
    return way;
  }

  private void accept() {
    try {
      for (int words = 0; !closed && words < MOST_WORDS; words++) {
        try (Fd stream = kernel.accept(listener)) {
          take(stream);
        }
      }
    } catch (SyscallException e) {
      if (!closed) {
        LOG.atWarn().log("sessions do not come any more: {}", e.getMessage());
      }
    }
  }

  private void take(Fd stream) {
    try {
      Word word = hear(stream).orElse(null);
      if (word != null) {
        Errno refused = take(word, stream);
        SessionWords.answer(kernel, stream, refused == null ? 0 : refused.number());
      }
    } catch (SluiceException e) {
      LOG.atWarn().log("a session does not come: {}", e.getMessage());
    }
  }

  /** None also when it is too late for one. */
  private Optional<Word> hear(Fd stream) {
    synchronized (lock) {
      if (closed) {
        return Optional.empty();
      }
      hearing = stream;
    }
    Optional<Word> word = Optional.empty();
    try {
      word = SessionWords.hear(kernel, stream);
    } finally {
      synchronized (lock) {
        hearing = null;
      }
    }
    return closed ? Optional.empty() : word;
  }

  /** Nothing when it is taken. */
  private @Nullable Errno take(Word word, Fd stream) {
    try {
      switch (word.kind()) {
        case SessionMessages.SESSION -> {
          sessions.arrive(word.handle(), word.number(), word.ranges(), stream);
          came.add(word.handle());
        }
        case SessionMessages.NEAR_END -> {
          sessions.arriveNear(word.handle(), word.number(), word.ranges(), stream, word.place());
          came.add(word.handle());
        }
        default -> sessions.arriveSegment(word.handle(), word.number(), word.ranges());
      }
      return null;
    } catch (RefusedException refused) {
      LOG.atWarn().log("a session is refused: {}", refused.getMessage());
      return refused.errno();
    }
  }

  /** Whether sessions of all these handles have come. */
  boolean hasAll(Set<Integer> handles) {
    return came.containsAll(handles);
  }

  /** The machine is here: these go on, others that came are forgotten. Does not wait. */
  void goOn(Set<Integer> handles) {
    end();
    threads
        .newThread(() -> {
          join(); // a session that is being taken is one that came before
          sessions.goOn(handles);
        })
        .start();
  }

  private void end() {
    synchronized (lock) {
      if (!closed) {
        closed = true;
        kernel.shutdown(listener);
        if (hearing != null) {
          kernel.shutdown(hearing);
        }
      }
    }
  }

  private void join() {
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** What has come of it stays. */
  @Override
  public void close() {
    end();
    join();
    listener.close();
    way.close();
  }
}
