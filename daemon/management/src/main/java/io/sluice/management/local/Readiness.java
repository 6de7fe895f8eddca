package io.sluice.management.local;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The wait for one direction of a non-blocking channel. UNIX-domain channels offer no socket
 * time-outs of their own, which RMI relies on to give up on a peer that hangs; a selector does.
 */
final class Readiness implements Closeable {
  private final Selector selector;

  /**
   * @param operation {@link SelectionKey#OP_READ} or {@link SelectionKey#OP_WRITE}
   */
  Readiness(SocketChannel channel, int operation) throws IOException {
    selector = channel.provider().openSelector();
    channel.register(selector, operation);
  }

  /**
   * @param timeoutMs milliseconds; 0 waits for ever
   * @throws SocketTimeoutException when the time is up
   * @throws SocketException when the channel was closed meanwhile
   */
  void await(int timeoutMs) throws IOException {
    int ready;
    try {
      ready = selector.select(timeoutMs);
      selector.selectedKeys().clear();
    } catch (ClosedSelectorException | CancelledKeyException e) {
      throw new SocketException("socket closed", e);
    }
    if (ready > 0) {
      return;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while waiting for a socket");
    }
    if (selector.keys().isEmpty()) {
      throw new SocketException("socket closed");
    }
    throw new SocketTimeoutException("no answer within " + timeoutMs + " ms");
  }

  @Override
  public void close() throws IOException {
    selector.close();
  }
}
