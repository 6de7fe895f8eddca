package io.sluice.abi.sys;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** The system calls for UNIX sockets. See {@link Kernel} for what holds of all. */
public interface SocketKernel {
  /** A connected pair of stream sockets. */
  List<Fd> socketpair();

  /** {@code socket}, {@code bind} and {@code listen} on a stream socket at a path. */
  Fd listen(Path path, int backlog);

  /** {@code accept4(SOCK_CLOEXEC)}; blocks. */
  Fd accept(Fd listener);

  /** {@code socket} and {@code connect}. */
  Fd connect(Path path);

  /**
   * {@code socket} and {@code connect} of a datagram socket; {@link FileKernel#write} sends one
   * datagram.
   *
   * @param address a path, or {@code @} and a name in the abstract namespace: unix(7)
   */
  Fd connectDatagram(String address);

  /**
   * {@code sendmsg}, repeated until all bytes are gone; the descriptors travel with the first byte.
   *
   * @param fds at most 253, which Linux carries; of more than {@link #MAX_MESSAGE_FDS} {@link
   *     #recvmsg} takes none. Stay the caller's
   */
  void sendmsg(Fd socket, MemorySegment data, List<Fd> fds);

  /**
   * One {@code recvmsg}: at least one byte unless the peer is gone. Descriptors that came along are
   * added to the list and belong to the caller. More than {@link #MAX_MESSAGE_FDS} with one message
   * are an EMSGSIZE; all of them have come to the list, which is closed and empty then, so that its
   * custody says how they are closed. The same where the process has no room for them ({@code
   * MSG_CTRUNC}): those the kernel has closed itself.
   *
   * @return bytes received; 0 when the peer has closed; -1 when a non-blocking socket has none, or
   *     its receive timeout is over
   */
  long recvmsg(Fd socket, MemorySegment into, FdList fds);

  /** Most descriptors that are taken with one message. */
  int MAX_MESSAGE_FDS = 16;

  /** Whether a descriptor is a socket; asks no file system. */
  boolean isSocket(Fd fd);

  /** {@code getsockopt(SO_PEERCRED)}. */
  PeerCredentials peerCredentials(Fd socket);

  /**
   * How long {@link #recvmsg} waits on a socket in blocking mode before it returns -1.
   *
   * @param timeoutMs 0 for as long as it takes
   */
  void setReceiveTimeout(Fd socket, int timeoutMs);

  /**
   * Has a later {@code close} of a socket return at once, whatever was not sent ({@code SO_LINGER}
   * off). Of a descriptor that is no socket, nothing.
   */
  void stopLingering(Fd fd);

  /** {@code shutdown(SHUT_RDWR)}: wakes whoever blocks on the socket; ENOTCONN is no failure. */
  void shutdown(Fd socket);
}
