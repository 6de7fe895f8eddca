package io.sluice.management.local;

import java.io.IOException;
import java.net.ServerSocket;
import java.rmi.server.RMIServerSocketFactory;

/** The factory that gives RMI the one server socket that was bound for it. */
record LocalServerSocketFactory(ChannelServerSocket socket) implements RMIServerSocketFactory {
  /** RMI wants a port number; with 0 it would look for one. No port of the machine is meant. */
  static final int PORT = 1;

  @Override
  public ServerSocket createServerSocket(int port) throws IOException {
    return socket;
  }
}
