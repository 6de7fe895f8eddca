package io.sluice.abi.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What one thread needs to call the kernel without allocating: the word that receives errno, and
 * the structures that calls point to. Each thread has its own, freed when the thread is gone. No
 * call keeps anything here beyond its return.
 */
final class Scratch {
  private static final ThreadLocal<Scratch> CURRENT = ThreadLocal.withInitial(Scratch::new);

  /** Head of a control message and room for {@link Kernel#MAX_MESSAGE_FDS} descriptors. */
  static final long CONTROL_BYTES = Cmsghdr.SIZE + 4L * Kernel.MAX_MESSAGE_FDS;

  /** Receives errno. */
  final MemorySegment errno;

  /** One 64-bit word: an eventfd's counter, a socket option's length. */
  final MemorySegment word;

  final MemorySegment msghdr;
  final MemorySegment iovec;
  final MemorySegment control;
  final MemorySegment timespec;

  private Scratch() {
    Arena arena = Arena.ofAuto();
    errno = arena.allocate(Libc.ERRNO_LAYOUT);
    word = arena.allocate(Long.BYTES, Long.BYTES);
    msghdr = arena.allocate(Msghdr.LAYOUT);
    iovec = arena.allocate(Iovec.LAYOUT);
    control = arena.allocate(CONTROL_BYTES, Long.BYTES);
    timespec = arena.allocate(Timespec.LAYOUT);
    Msghdr.iov(msghdr, iovec.address());
    Msghdr.iovLength(msghdr, 1);
  }

  /** The calling thread's. */
  static Scratch current() {
    return CURRENT.get();
  }
}
