package io.sluice.daemon.runtime;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.StreamSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place at which the stream of one session comes in: a socket in a directory of the daemon's
 * own. The event loops of the wire connect to it; what is accepted goes to a session host.
 */
public final class StreamPlace implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamPlace.class);
  private static final AtomicLong COUNT = new AtomicLong();

  private final Kernel kernel;
  private final Path path;
  private final Fd listener;

  private StreamPlace(Kernel kernel, Path path, Fd listener) {
    this.kernel = kernel;
    this.path = path;
    this.listener = listener;
  }

  /**
   * Listens.
   *
   * @param directory of the daemon's own
   */
  public static StreamPlace open(Kernel kernel, Path directory) {
    Path path = directory.resolve("stream-" + COUNT.incrementAndGet());
    remove(path); // one that a daemon before left
    return new StreamPlace(kernel, path, kernel.listen(path, 1));
  }

  /** Where it listens. */
  public Path path() {
    return path;
  }

  /**
   * The stream, once it is there.
   *
   * @throws SyscallException ETIMEDOUT when it does not come
   */
  public Fd accept(Duration patience) {
    short[] ready = new short[1];
    kernel.poll(
        List.of(listener),
        new short[] {Kernel.POLLIN},
        ready,
        Math.toIntExact(patience.toMillis()));
    if (ready[0] == 0) {
      throw new SyscallException("poll", "nobody comes, socket=" + path, Errno.ETIMEDOUT.number());
    }
    return kernel.accept(listener);
  }

  @Override
  public void close() {
    remove(path);
    listener.close();
  }

  private static void remove(Path path) {
    try {
      StreamSocket.remove(path);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", path).log("an old socket stays", e);
    }
  }
}
