package io.sluice.abi.sys;

import io.sluice.abi.SyscallException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The system calls for eventfds and waiting. See {@link Kernel} for what holds of all. */
public interface EventKernel {
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

  /** {@code eventfd(initial, flags | EFD_CLOEXEC)}. */
  Fd eventfd(int initial, int flags);

  /**
   * Adds 1 to an eventfd. A counter that is full is as good as signalled. Allocates nothing.
   *
   * <p>Blocks when the descriptor does and the counter is full, so one that came from a peer goes
   * through {@link FileKernel#setNonBlocking} first.
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
   * {@code futex(FUTEX_WAKE)} for all who wait on a word of memory that processes share.
   *
   * @param word four bytes of native memory at a multiple of four
   */
  void wakeFutex(MemorySegment word);

  /**
   * {@code ppoll}: waits until one of the descriptors is ready.
   *
   * @param fds the descriptors
   * @param events what to wait for, one word per descriptor
   * @param revents receives what is ready, one word per descriptor
   * @param timeoutNs nanoseconds; negative waits for ever, 0 returns at once
   * @return number of ready descriptors, 0 after the time-out
   */
  int pollNs(List<Fd> fds, short[] events, short[] revents, long timeoutNs);

  /**
   * {@link #pollNs} in milliseconds.
   *
   * @param timeoutMs milliseconds; negative waits for ever, 0 returns at once
   */
  default int poll(List<Fd> fds, short[] events, short[] revents, int timeoutMs) {
    return pollNs(fds, events, revents, timeoutMs * 1_000_000L);
  }
}
