package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one thread needs to call the kernel without allocating: the word that receives
 * errno, and the structures that calls point to. Each thread has its own, freed when the thread is
 * gone. No call keeps anything here beyond its return.
 */
final class Scratch {
  private static final ThreadLocal<Scratch> CURRENT = ThreadLocal.withInitial(Scratch::new);

  /** Most descriptors that Linux carries with one message: include/net/scm.h. */
  static final int SCM_MAX_FD = 253;

  /**
   * Head of a control message and room for all descriptors that may come: those for which there is
   * none the kernel closes within the call, which may then last as long as the sender likes.
   */
  static final long CONTROL_BYTES = Cmsghdr.SIZE + 4L * SCM_MAX_FD;

  /** Receives errno. */
  final MemorySegment errno;

  /** One 64-bit word: an eventfd's counter, a socket option's length. */
  final MemorySegment word;

  final MemorySegment msghdr;
  final MemorySegment iovec;
  final MemorySegment control;
  final MemorySegment timespec;
  final MemorySegment rusage;

  /** A request of asynchronous I/O, {@link Iocb}. */
  final MemorySegment iocb;

  /** The list of requests that {@code io_submit} takes: {@link #iocb} alone. */
  final MemorySegment iocbs;

  private @Nullable MemorySegment ioEvents;

  private Scratch() {
    Arena arena = Arena.ofAuto();
    errno = arena.allocate(Libc.ERRNO_LAYOUT);
    word = arena.allocate(Long.BYTES, Long.BYTES);
    msghdr = arena.allocate(Msghdr.LAYOUT);
    iovec = arena.allocate(Iovec.LAYOUT);
    control = arena.allocate(CONTROL_BYTES, Long.BYTES);
    timespec = arena.allocate(Timespec.LAYOUT);
    rusage = arena.allocate(Rusage.LAYOUT);
    iocb = arena.allocate(Iocb.LAYOUT);
    iocbs = arena.allocate(Long.BYTES, Long.BYTES);
    iocbs.set(Layouts.U64, 0, iocb.address());
    Msghdr.MSG_IOV.set(msghdr, iovec.address());
    Msghdr.MSG_IOVLEN.set(msghdr, 1);
  }

  /** Where finished requests of asynchronous I/O are taken to; made when a thread needs it. */
  MemorySegment ioEvents() {
    MemorySegment events = ioEvents;
    if (events == null) {
      events = AsyncSignal.newEvents(Arena.ofAuto());
      ioEvents = events;
    }
    return events;
  }

  /** The calling thread's. */
  static Scratch current() {
    return CURRENT.get();
  }
}
