package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.SluiceException;
import io.sluice.abi.SyscallException;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tap of a machine's sessions: it plays the destination that takes each of them. A thread hears
 * the words, one a session writes what it is into the file and answers its questions; one that
 * cannot be written has its stream ended.
 */
final class SessionsTap implements RamTransport.Source {
  private static final Logger LOG = LoggerFactory.getLogger(SessionsTap.class);
  private static final int BACKLOG = 64;

  private final CheckpointWriter writer;
  private final Path socket;
  private final Kernel kernel;
  private final ThreadFactory threads;
  private final Map<Integer, Integer> streams = new HashMap<>(); // by handle; of the thread
  private final Object lock = new Object();
  private final Set<Fd> open = new HashSet<>(); // by lock
  private @Nullable Fd listener; // by lock
  private @Nullable Thread thread; // by lock
  private volatile boolean closed;

  SessionsTap(CheckpointWriter writer, Path socket, Kernel kernel, ThreadFactory threads) {
    this.writer = writer;
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
    try {
      for (int words = 0; !closed; words++) {
        Fd stream = kernel.accept(listening);
        boolean owned = false;
        try {
          owned = !closed && take(stream, words);
        } catch (SluiceException e) {
          LOG.atWarn().log("a session does not get into a file: {}", e.getMessage());
        } finally {
          if (!owned) {
            stream.close();
          }
        }
      }
    } catch (SyscallException e) {
      if (!closed) {
        LOG.atWarn().log("sessions do not get into a file any more: {}", e.getMessage());
      }
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
    synchronized (lock) {
      open.add(stream);
    }
    Thread copier = threads.newThread(() -> copy(number, stream));
    copier.setName("sluice-checkpoint-session-" + number);
    copier.start();
  }

  private void copy(int number, Fd stream) {
    try {
      new SessionRecorder(kernel, number, writer::take).record(stream);
    } catch (SluiceException e) {
      if (!closed) {
        LOG.atWarn().log("a session does not get into a file: {}", e.getMessage());
      }
    } finally {
      synchronized (lock) {
        open.remove(stream);
        stream.close();
      }
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
    }
    if (listening != null) {
      kernel.shutdown(listening);
      join(Objects.requireNonNull(accepting));
      listening.close();
    }
    synchronized (lock) {
      open.forEach(kernel::shutdown);
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
