package io.sluice.migrate.checkpoint;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.checkpoint.StoredSessions.Stored;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.migrate.session.SessionWords;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feed of the sessions of a machine that is made of a checkpoint: it plays the source from
 * which each comes. First all are announced with their memory, which their streams may name at any
 * place; then a thread sends the streams, and hears what session hosts say to them.
 */
final class SessionsFeed implements RamTransport.Target {
  private static final Logger LOG = LoggerFactory.getLogger(SessionsFeed.class);

  private final CheckpointReader reader;
  private final Path socket;
  private final Kernel kernel;
  private final ThreadFactory threads;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Integer, FedSession> open = new HashMap<>(); // by stream

  private @Nullable Thread thread; // of who makes and closes this
  private volatile @Nullable String refusal;
  private volatile boolean through;
  private volatile boolean closed;

  SessionsFeed(CheckpointReader reader, Path socket, Kernel kernel, ThreadFactory threads) {
    this.reader = reader;
    this.socket = socket;
    this.kernel = kernel;
    this.threads = threads;
    remove();
  }

  @Override
  public String uri() {
    return "unix:" + socket;
  }

  /** Nobody else is to find it. */
  @Override
  public ByteBuffer address() {
    return ByteBuffer.allocate(0);
  }

  @Override
  public void listening() {
    Thread feeding = threads.newThread(this::feed);
    feeding.setName("sluice-restore-sessions");
    thread = feeding;
    feeding.start();
  }

  @Override
  public boolean isThrough() {
    return through;
  }

  @Override
  public Optional<String> refusal() {
    return Optional.ofNullable(refusal);
  }

  private void feed() {
    try {
      for (Stored session : reader.sessions()) {
        announce(session);
      }
      if (!reader.sessions().isEmpty()) {
        send();
      }
      through = true;
    } catch (IOException | SluiceException e) {
      refusal = "its API sessions are not made again: " + e.getMessage();
    }
  }

  private void announce(Stored session) {
    for (Word word : session.words()) {
      Fd stream = SessionWords.say(kernel, socket, word);
      synchronized (lock) {
        if (closed || open.containsKey(session.stream())) { // other memory has no stream
          stream.close();
        } else {
          open.put(
              session.stream(), new FedSession(name(session), stream, kernel, reader::tookBytes));
        }
      }
    }
  }

  private static String name(Stored session) {
    return "session " + session.handle() + " of the machine";
  }

  private void send() throws IOException {
    Path file = reader.file();
    try (InputStream in = reader.stream()) {
      Section section = CheckpointReader.read(in, file);
      while (section.id() != StagedFile.END_SECTION && !closed) {
        if (section.id() == StoredSessions.BYTES_SECTION) {
          ByteBuffer payload = section.payload();
          FedSession to = session(StoredSessions.stream(payload));
          if (to != null) { // others have ended before the machine stopped
            to.send(payload);
          }
        }
        section = CheckpointReader.read(in, file);
      }
    }
  }

  private @Nullable FedSession session(int stream) {
    synchronized (lock) {
      return open.get(stream);
    }
  }

  @Override
  public void close() {
    closed = true;
    synchronized (lock) {
      open.values().forEach(FedSession::end);
    }
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      open.values().forEach(FedSession::close);
      open.clear();
    }
    remove();
  }

  private void remove() {
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }
}
