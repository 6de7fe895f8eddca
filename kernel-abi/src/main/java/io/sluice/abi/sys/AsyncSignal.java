package io.sluice.abi.sys;

import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A signal of eventfds from inside the kernel, where that never blocks: a read of no bytes of
 * {@code /dev/null} is done within {@code io_submit}, and the end of a request signals the eventfd
 * that it names ({@code aio_resfd}). A counter that is full stays full.
 *
 * <p>The process has one context for all threads. Finished requests fill its ring; the thread that
 * finds it full takes them out.
 */
final class AsyncSignal {
  /** Requests that may be finished and not taken out; the kernel makes room for some more. */
  private static final int RING_EVENTS = 256;

  /** {@code struct io_event}: data, obj, res, res2. */
  private static final long EVENT_BYTES = 32;

  private static final int O_CLOEXEC = 0x80000;
  private static final String NULL_DEVICE = "/dev/null";

  /** The context; below 0 the errno why there is none. */
  private static final long CONTEXT;

  private static final int NULL_FD;

  static {
    int fd;
    long context;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
      long result = Libc.ioSetup(RING_EVENTS, word);
      context = result < 0 ? result : word.get(ValueLayout.JAVA_LONG, 0);
      fd = Libc.open(arena.allocateFrom(NULL_DEVICE), O_CLOEXEC, 0);
    }
    CONTEXT = fd < 0 ? fd : context;
    NULL_FD = fd;
  }

  private AsyncSignal() {}

  static boolean isAvailable() {
    return CONTEXT > 0;
  }

  static void signal(Fd eventfd) {
    if (!isAvailable()) {
      throw new SyscallException("io_setup", "events=" + RING_EVENTS, (int) -CONTEXT);
    }
    Scratch scratch = Scratch.current();
    Iocb.LIO_OPCODE.set(scratch.iocb, Iocb.PREAD);
    Iocb.FILDES.set(scratch.iocb, NULL_FD);
    Iocb.FLAGS.setBits(scratch.iocb, Iocb.RESFD);
    Iocb.RESFD_NUMBER.set(scratch.iocb, eventfd.number());
    long result = Libc.ioSubmit(scratch, CONTEXT);
    while (Calls.wouldBlock(result) || Calls.interrupted(result)) {
      takeFinished(scratch);
      result = Libc.ioSubmit(scratch, CONTEXT);
    }
    if (result < 0) {
      throw new SyscallException("io_submit", eventfd + ", aio_resfd", (int) -result);
    }
  }

  private static void takeFinished(Scratch scratch) {
    Timespec.TV_SEC.set(scratch.timespec, 0);
    Timespec.TV_NSEC.set(scratch.timespec, 0);
    long _ = Libc.ioGetevents(scratch, CONTEXT, RING_EVENTS, scratch.ioEvents());
  }

  /** Room for {@link #RING_EVENTS} events. */
  static MemorySegment newEvents(Arena arena) {
    return arena.allocate(RING_EVENTS * EVENT_BYTES, Long.BYTES);
  }
}
