package io.sluice.remoting.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The stream to the host on which a session lives: any thread writes, items of one call behind one
 * another; one reads.
 */
final class RelayWire {
  private final StateLink link;
  private final ReentrantLock writing = new ReentrantLock();

  @GuardedBy("writing")
  private boolean closed;

  /**
   * @param link stays the caller's
   */
  RelayWire(StateLink link) {
    this.link = link;
  }

  /** Something to be written as one. */
  @FunctionalInterface
  interface WireWriter {
    void writeTo(StateLink link) throws StateException;
  }

  /** Writes; what is written may wait until {@link #flush}. */
  void write(WireWriter words) throws StateException {
    writing.lock();
    try {
      if (closed) {
        throw new StateException("the session is here no more");
      }
      words.writeTo(link);
    } finally {
      writing.unlock();
    }
  }

  /** Writes one item, and sends it. */
  void send(StateItem item) throws StateException {
    write(to -> {
      to.write(item);
      to.flush();
    });
  }

  /** Writes one item if nobody else is writing: that is a sign of life, too. */
  void sendIfIdle(StateItem item) throws StateException {
    if (writing.tryLock()) {
      try {
        send(item);
      } finally {
        writing.unlock();
      }
    }
  }

  /** Nobody writes any more when this returns. */
  void close() {
    end();
    writing.lock();
    try {
      closed = true;
    } finally {
      writing.unlock();
    }
  }

  /** Sends what waits. */
  void flush() throws StateException {
    write(StateLink::flush);
  }

  /** The next item. */
  StateItem read() throws StateException {
    return link.read();
  }

  /** Has both ends find the stream at its end. */
  void end() {
    link.end();
  }
}
