package io.sluice.migrate.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.session.SessionMessages;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.migrate.session.SessionWords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tap of a machine's sessions: it plays the destination that takes each of them. A thread hears
 * the words, one a session writes what it is into the file and answers its questions; one that
 * cannot be written has its stream ended, for whatever reason, and others are heard. When there is
 * too much of them, or one says nothing, there will be no file. Whoever does not finish a word is
 * cut off when this is closed.
 */
final class SessionsTap implements RamTransport.Source {
  private static final Logger LOG = LoggerFactory.getLogger(SessionsTap.class);
  private static final int BACKLOG = 64;

  /** The pause when accepting has failed: what is missing may come back. */
  private static final long FAILED_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final CheckpointWriter writer;
  private final SessionAllowance allowance;
  private final Path socket;
  private final Kernel kernel;
  private final ThreadFactory threads;
  private final Map<Integer, Integer> streams = new HashMap<>(); // by handle; of the thread
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Set<Fd> open = new HashSet<>(); // also one whose word is heard

  @GuardedBy("lock")
  private @Nullable Fd listener;

  @GuardedBy("lock")
  private @Nullable Thread thread;

  private volatile boolean closed;

  SessionsTap(
      CheckpointWriter writer,
      SessionAllowance allowance,
      Path socket,
      Kernel kernel,
      ThreadFactory threads) {
    this.writer = writer;
    this.allowance = allowance;
    this.socket = socket;
    this.kernel = kernel;
    this.threads = threads;
  }

  @Override
  public String open(ByteBuffer target) {
    remove();
    Fd listening = kernel.listen(socket, BACKLOG);
    Thread accepting = threads.newThread(() -> accept(listening));
    accepting.setName("sluice-checkpoint-sessions");
    synchronized (lock) {
      listener = listening;
      thread = accepting;
    }
    accepting.start();
    return "unix:" + socket;
  }

  /** Nobody is there who could refuse them. */
  @Override
  public boolean isAnswered() {
    return false;
  }

  private void accept(Fd listening) {
    int words = 0;
    boolean failed = false;
    while (!closed) {
      try {
        Fd stream = kernel.accept(listening);
        hear(stream, words++);
        failed = false;
      } catch (RuntimeException | Error e) { // no descriptors or memory are left, most likely
        if (!closed && !failed) {
          failed = true; // and is said once, until one is heard again
          LOG.atWarn().setCause(e).log("a session does not get into a file");
        }
        pause();
      }
    }
  }

  private void pause() {
    if (!closed) {
      LockSupport.parkNanos(this, FAILED_NS);
    }
  }

  private void hear(Fd stream, int words) {
    boolean owned = false;
    try {
      synchronized (lock) {
        open.add(stream);
      }
      owned = !closed && take(stream, words);
    } catch (SluiceException e) {
      warn(e);
    } finally {
      if (!owned) {
        end(stream);
      }
    }
  }

  private void end(Fd stream) {
    synchronized (lock) {
      open.remove(stream);
      stream.close();
    }
  }

  /**
   * @param words that came before
   * @return whether the stream is owned
   */
  private boolean take(Fd stream, int words) {
    Word word = SessionWords.hear(kernel, stream).orElse(null);
    if (word == null) {
      return false;
    }
    if (words >= StoredSessions.MOST_WORDS) {
      SessionWords.answer(kernel, stream, Errno.E2BIG.number());
      return false;
    }
    boolean begins = word.kind() == SessionMessages.SESSION;
    if (begins) {
      streams.put(word.handle(), words + 1);
    }
    int number = streams.getOrDefault(word.handle(), 0);
    if (number == 0) {
      SessionWords.answer(kernel, stream, Errno.ENOENT.number());
      return false;
    }
    writer.take(StoredSessions.section(number, word));
    SessionWords.answer(kernel, stream, 0);
    if (begins) {
      begin(number, stream);
    }
    return begins;
  }

  private void begin(int number, Fd stream) {
    Thread copier = threads.newThread(() -> copy(number, stream));
    copier.setName("sluice-checkpoint-session-" + number);
    copier.start();
  }

  private void copy(int number, Fd stream) {
    try {
      new SessionRecorder(kernel, number, allowance, writer::take)
          .record(stream, SessionRecorder.PATIENCE_MS);
    } catch (RefusedException e) {
      if (!e.code().equals(CheckpointCode.SESSION.code())) { // noise is the matter of one alone
        writer.refuse(e);
      }
      warn(e);
    } catch (SluiceException e) {
      warn(e);
    } finally {
      end(stream);
    }
  }

  private void warn(SluiceException e) {
    if (!closed) {
      LOG.atWarn().log("a session does not get into a file: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    closed = true;
    Fd listening;
    Thread accepting;
    synchronized (lock) {
      listening = listener;
      accepting = thread;
      listener = null;
      open.forEach(kernel::shutdown);
    }
    if (listening != null) {
      kernel.shutdown(listening);
      join(Objects.requireNonNull(accepting));
      listening.close();
    }
    remove();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void remove() {
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }
}
