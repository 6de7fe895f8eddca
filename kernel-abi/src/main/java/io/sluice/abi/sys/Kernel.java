package io.sluice.abi.sys;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * The seam to the operating system: every system call that Sluice makes goes through here, so that
 * a test can stand in for the kernel or record what was asked of it.
 *
 * <p>All calls restart after {@code EINTR} (with the time-out recomputed). All failures are {@link
 * SyscallException} with call, arguments and errno, except where a method says otherwise. New
 * descriptors are close-on-exec. Methods may be called from any thread; those that can block are
 * for platform threads only.
 */
public interface Kernel {
  /** {@code PROT_READ}. */
  int PROT_READ = 1;

  /** {@code PROT_WRITE}. */
  int PROT_WRITE = 2;

  /** {@code F_SEAL_SEAL}: no more seals can be set. */
  int F_SEAL_SEAL = 1;

  /** {@code F_SEAL_SHRINK}: the file cannot become shorter. */
  int F_SEAL_SHRINK = 2;

  /** {@code F_SEAL_GROW}: the file cannot become longer. */
  int F_SEAL_GROW = 4;

  /** {@code O_RDWR}. */
  int O_RDWR = 2;

  /** {@code EFD_NONBLOCK}, and {@code O_NONBLOCK} in general. */
  int NONBLOCK = 0x800;

  /** {@code POLLIN}. */
  short POLLIN = 1;

  /** {@code POLLOUT}. */
  short POLLOUT = 4;

  /** {@code POLLERR}. */
  short POLLERR = 8;

  /** {@code POLLHUP}. */
  short POLLHUP = 16;

  // ---- files and memory ----

  /** {@code memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)} and {@code ftruncate}. */
  Fd memfdCreate(String name, long sizeBytes);

  /** {@code fcntl(F_ADD_SEALS)}. */
  void addSeals(Fd fd, int seals);

  /** {@code fcntl(F_GET_SEALS)}; EINVAL for a file that cannot be sealed. */
  int getSeals(Fd fd);

  /** {@code fallocate(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)}: the range reads as zeros. */
  void punchHole(Fd fd, long offset, long lengthBytes);

  /** {@code fstat}. */
  FileStatus fstat(Fd fd);

  /** {@code fstatfs}, its {@code f_type}. */
  long fileSystemType(Fd fd);

  /**
   * {@code mmap(NULL, length, prot, MAP_SHARED, fd, offset)}.
   *
   * @param protection {@link #PROT_READ}, {@link #PROT_WRITE}
   */
  Mapping mmap(Fd fd, long offset, long lengthBytes, int protection);

  /** {@code open(path, flags | O_CLOEXEC)}. */
  Fd open(Path path, int flags);

  /** {@code fcntl(F_DUPFD_CLOEXEC)}: a second descriptor of the same open file. */
  Fd dup(Fd fd);

  /** A descriptor of this process by its number, whose ownership passes to the caller. */
  Fd adopt(int number);

  /** {@code fcntl(F_SETFL)} with {@code O_NONBLOCK} added: concerns all who share the open file. */
  void setNonBlocking(Fd fd);

  /** {@code read}: bytes read, 0 at the end, -1 when a non-blocking descriptor has none. */
  long read(Fd fd, MemorySegment into);

  /** {@code write}: bytes written, -1 when a non-blocking descriptor takes none. */
  long write(Fd fd, MemorySegment from);

  /**
   * {@code pwrite}, as often as it takes: the whole of it is written at a place of a file.
   *
   * @param from native memory
   */
  void pwrite(Fd fd, MemorySegment from, long offset);

  /**
   * {@code madvise(MADV_POPULATE_WRITE)}: the pages of a piece of a mapping are there, to be
   * written, before anybody touches them. What a process that touches them would be killed for is
   * an error here: EFAULT, ENOMEM. EINVAL for what is not whole pages, may not be written, or when
   * the kernel is older than 5.14.
   *
   * @param mapped of a {@link Mapping}
   */
  void populate(MemorySegment mapped);

  /** {@code ioctl(fd, request, arg)}: its result, not negative. */
  int ioctl(Fd fd, long request, MemorySegment arg);

  // ---- events ----

  /** {@code eventfd(initial, flags | EFD_CLOEXEC)}. */
  Fd eventfd(int initial, int flags);

  /**
   * Adds 1 to an eventfd. A counter that is full is as good as signalled. Allocates nothing.
   *
   * <p>Blocks when the descriptor does and the counter is full, so one that came from a peer goes
   * through {@link #setNonBlocking} first.
   */
  void signal(Fd eventfd);

  /**
   * Adds 1 to an eventfd whose open file a peer has, too, and never blocks: the peer can make the
   * file blocking and fill the counter at any time, which {@link #signal} would wait for. A counter
   * that is full stays so. Allocates nothing.
   *
   * <p>Linux has no system call for this; a read of nothing by asynchronous I/O that signals the
   * eventfd when it is done, which is at once, comes to the same at little more cost.
   *
   * @throws SyscallException when the host has no asynchronous I/O; see {@link #canSignalForeign}
   */
  void signalForeign(Fd eventfd);

  /** Whether {@link #signalForeign} works on this host. */
  boolean canSignalForeign();

  /**
   * Whether a descriptor is an eventfd. One that came from elsewhere must be asked for before
   * {@link #signal}: a write to anything else may block or fail.
   */
  boolean isEventfd(Fd fd);

  /** Takes the count of an eventfd: 0 when a non-blocking one has none. Allocates nothing. */
  long drain(Fd eventfd);

  /**
   * {@code poll}: waits until one of the descriptors is ready.
   *
   * @param fds the descriptors
   * @param events what to wait for, one word per descriptor
   * @param revents receives what is ready, one word per descriptor
   * @param timeoutMs milliseconds; negative waits for ever, 0 returns at once
   * @return number of ready descriptors, 0 after the time-out
   */
  int poll(List<Fd> fds, short[] events, short[] revents, int timeoutMs);

  // ---- UNIX sockets ----

  /** A connected pair of stream sockets. */
  List<Fd> socketpair();

  /** {@code socket}, {@code bind} and {@code listen} on a stream socket at a path. */
  Fd listen(Path path, int backlog);

  /** {@code accept4(SOCK_CLOEXEC)}; blocks. */
  Fd accept(Fd listener);

  /** {@code socket} and {@code connect}. */
  Fd connect(Path path);

  /**
   * {@code socket} and {@code connect} of a datagram socket; {@link #write} sends one datagram.
   *
   * @param address a path, or {@code @} and a name in the abstract namespace: unix(7)
   */
  Fd connectDatagram(String address);

  /**
   * {@code sendmsg}, repeated until all bytes are gone; the descriptors travel with the first byte.
   *
   * @param fds at most {@link #MAX_MESSAGE_FDS}; stay the caller's
   */
  void sendmsg(Fd socket, MemorySegment data, List<Fd> fds);

  /**
   * One {@code recvmsg}: at least one byte unless the peer is gone. Descriptors that came along are
   * added to the list and belong to the caller. A message whose descriptors did not fit ({@code
   * MSG_CTRUNC}) is an EMSGSIZE, and the list is closed and empty.
   *
   * @return bytes received; 0 when the peer has closed; -1 when a non-blocking socket has none, or
   *     its receive timeout is over
   */
  long recvmsg(Fd socket, MemorySegment into, FdList fds);

  /** Most descriptors that one message may carry. */
  int MAX_MESSAGE_FDS = 16;

  /** {@code getsockopt(SO_PEERCRED)}. */
  PeerCredentials peerCredentials(Fd socket);

  /**
   * How long {@link #recvmsg} waits on a socket in blocking mode before it returns -1.
   *
   * @param timeoutMs 0 for as long as it takes
   */
  void setReceiveTimeout(Fd socket, int timeoutMs);

  /** {@code shutdown(SHUT_RDWR)}: wakes whoever blocks on the socket; ENOTCONN is no failure. */
  void shutdown(Fd socket);
}
