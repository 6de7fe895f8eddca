package io.sluice.management.local;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A {@link ServerSocket} over a UNIX-domain channel: checks who connects, greets, and keeps track
 * of its connections so that closing it closes them too.
 */
final class ChannelServerSocket extends ServerSocket {
  /** Connections at one time; more are refused, so that no user of a group can exhaust us. */
  static final int MAX_CONNECTIONS = 64;

  private final ServerSocketChannel channel;
  private final PeerPolicy policy;
  private final RefusalListener refusals;
  private final Set<ChannelSocket> open = ConcurrentHashMap.newKeySet();
  private volatile byte[] stub = new byte[0];

  /**
   * @param channel a bound channel, whose ownership passes to the socket
   */
  ChannelServerSocket(ServerSocketChannel channel, PeerPolicy policy, RefusalListener refusals)
      throws IOException {
    this.channel = channel;
    this.policy = policy;
    this.refusals = refusals;
  }

  /** What to greet with; set before the socket has a name by which anyone could connect. */
  void setStub(byte[] serialized) {
    stub = serialized;
  }

  @Override
  public Socket accept() throws IOException {
    while (true) {
      SocketChannel connection;
      try {
        connection = channel.accept();
      } catch (ClosedChannelException e) {
        throw new SocketException("socket closed", e);
      }
      try {
        Peer peer = Peer.of(connection);
        if (!policy.permits(peer)) {
          refuse(connection, peer, policy.refusal(peer));
        } else if (open.size() >= MAX_CONNECTIONS) {
          refuse(connection, peer, "there are " + MAX_CONNECTIONS + " connections already");
        } else {
          return welcome(connection, peer);
        }
      } catch (IOException _) {
        connection.close(); // the peer left already; the next one is served
      }
    }
  }

  private Socket welcome(SocketChannel connection, Peer peer) throws IOException {
    greet(connection, new Greeting(true, stub));
    ChannelSocket socket = new ChannelSocket(connection, peer, open::remove);
    open.add(socket);
    if (!channel.isOpen()) {
      socket.close();
      throw new SocketException("socket closed");
    }
    return socket;
  }

  private void refuse(SocketChannel connection, Peer peer, String reason) throws IOException {
    refusals.connectionRefused(peer, reason);
    greet(connection, Greeting.refusal(reason));
    connection.close();
  }

  /** A greeting fits the buffer of a fresh socket, so a peer that does not read delays nobody. */
  private static void greet(SocketChannel connection, Greeting greeting) throws IOException {
    connection.configureBlocking(false);
    ByteBuffer bytes = greeting.encode();
    connection.write(bytes);
    if (bytes.hasRemaining()) {
      throw new SocketException("greeting does not fit the socket's buffer");
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    for (ChannelSocket socket : open) {
      socket.close();
    }
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public int getLocalPort() {
    return LocalServerSocketFactory.PORT;
  }

  @Override
  public String toString() {
    return "ChannelServerSocket[" + channel + "]";
  }
}
