package io.sluice.management.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Socket} over a UNIX-domain channel, as far as RMI uses one. One thread may read while
 * another writes; closing wakes both.
 */
final class ChannelSocket extends Socket {
  private final SocketChannel channel;
  private final @Nullable Peer peer;
  private final Consumer<ChannelSocket> onClose;
  private final Readiness readable;
  private final Readiness writable;
  private volatile int readTimeoutMs;

  /**
   * @param channel a connected channel, whose ownership passes to the socket
   * @param peer who is at the other end; null on the client's side
   * @param onClose told once, when the socket is closed
   */
  ChannelSocket(SocketChannel channel, @Nullable Peer peer, Consumer<ChannelSocket> onClose)
      throws IOException {
    super((SocketImpl) null);
    this.channel = channel;
    this.peer = peer;
    this.onClose = onClose;
    channel.configureBlocking(false);
    this.readable = new Readiness(channel, SelectionKey.OP_READ);
    this.writable = new Readiness(channel, SelectionKey.OP_WRITE);
  }

  /** Connects as a client. */
  static ChannelSocket connect(Path path) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(path));
      return new ChannelSocket(channel, null, _ -> {});
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public InputStream getInputStream() {
    return new Input();
  }

  @Override
  public OutputStream getOutputStream() {
    return new SocketOutput();
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) {
      return;
    }
    channel.close();
    readable.close();
    writable.close();
    onClose.accept(this);
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public void setSoTimeout(int timeoutMs) throws SocketException {
    if (timeoutMs < 0) {
      throw new IllegalArgumentException("timeout can't be negative, timeoutMs=" + timeoutMs);
    }
    readTimeoutMs = timeoutMs;
  }

  @Override
  public int getSoTimeout() {
    return readTimeoutMs;
  }

  /** Meaningless here: there is no delay to be switched off. */
  @Override
  public void setTcpNoDelay(boolean on) {}

  @Override
  public void setKeepAlive(boolean on) {}

  @Override
  public @Nullable InetAddress getInetAddress() {
    return null;
  }

  @Override
  public int getPort() {
    return LocalServerSocketFactory.PORT;
  }

  @Override
  public int getLocalPort() {
    return LocalServerSocketFactory.PORT;
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return null;
  }

  @Override
  public String toString() {
    return "ChannelSocket[" + channel + "]";
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (peer != null) {
        Peer.setCurrent(peer);
      }
      if (length == 0) {
        return 0;
      }
      ByteBuffer buffer = ByteBuffer.wrap(into, offset, length);
      while (true) {
        int n = channel.read(buffer);
        if (n != 0) {
          return n;
        }
        readable.await(readTimeoutMs);
      }
    }

    @Override
    public void close() throws IOException {
      ChannelSocket.this.close();
    }
  }

  private final class SocketOutput extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(from, offset, length);
      while (buffer.hasRemaining()) {
        if (channel.write(buffer) == 0) {
          writable.await(0);
        }
      }
    }

    @Override
    public void close() throws IOException {
      ChannelSocket.this.close();
    }
  }
}
