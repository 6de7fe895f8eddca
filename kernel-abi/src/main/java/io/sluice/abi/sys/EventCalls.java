package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The event calls of {@link RealKernel}. */
final class EventCalls {
  private static final int EFD_CLOEXEC = 0x80000;
  private static final int FUTEX_WAKE = 1;

  private EventCalls() {}

  static Fd eventfd(int initial, int flags) {
    return Calls.own(
        Calls.check(
            Libc.eventfd(initial, flags | EFD_CLOEXEC),
            "eventfd",
            () -> "initial=" + initial + ", flags=0x" + Integer.toHexString(flags)));
  }

  /** The kernel names an anonymous inode after what made it, in the link of each descriptor. */
  static boolean isEventfd(Fd fd) {
    return Calls.link(fd).equals("anon_inode:[eventfd]");
  }

  static void signal(Fd eventfd) {
    Scratch scratch = Scratch.current();
    scratch.word.set(Layouts.U64, 0, 1);
    long result;
    do {
      result = Libc.write(scratch, eventfd.number(), scratch.word);
    } while (Calls.interrupted(result));
    if (result < 0 && !Calls.wouldBlock(result)) {
      throw new SyscallException("write", eventfd + ", eventfd count=1", (int) -result);
    }
  }

  static long drain(Fd eventfd) {
    Scratch scratch = Scratch.current();
    long result;
    do {
      result = Libc.read(scratch, eventfd.number(), scratch.word);
    } while (Calls.interrupted(result));
    if (result >= 0) {
      return scratch.word.get(Layouts.U64, 0);
    }
    if (Calls.wouldBlock(result)) {
      return 0;
    }
    throw new SyscallException("read", eventfd + ", eventfd", (int) -result);
  }

  static void wakeFutex(MemorySegment word) {
    long result = Libc.futex(Scratch.current(), word, FUTEX_WAKE, Integer.MAX_VALUE);
    if (result < 0) {
      throw new SyscallException("futex", "FUTEX_WAKE", (int) -result);
    }
  }

  static int poll(List<Fd> fds, short[] events, short[] revents, long timeoutNs) {
    int count = fds.size();
    if (events.length < count || revents.length < count) {
      throw new IllegalArgumentException(
          "an event word per descriptor, fds="
              + count
              + ", events="
              + events.length
              + ", revents="
              + revents.length);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pollfds = arena.allocate(Pollfd.LAYOUT, Math.max(1, count));
      for (int i = 0; i < count; i++) {
        Pollfd.FD.set(pollfds, i * Pollfd.SIZE, fds.get(i).number());
        Pollfd.EVENTS.setBits(pollfds, i * Pollfd.SIZE, events[i]);
      }
      int ready = wait(pollfds, count, timeoutNs);
      for (int i = 0; i < count; i++) {
        revents[i] = Pollfd.REVENTS.bits(pollfds, i * Pollfd.SIZE);
      }
      return ready;
    }
  }

  /**
   * The kernel writes the time that remains into the timeout, so that a restart goes on with it.
   */
  private static int wait(MemorySegment pollfds, int count, long timeoutNs) {
    Scratch scratch = Scratch.current();
    MemorySegment timeout = MemorySegment.NULL;
    if (timeoutNs >= 0) {
      timeout = scratch.timespec;
      Timespec.TV_SEC.set(timeout, timeoutNs / 1_000_000_000L);
      Timespec.TV_NSEC.set(timeout, timeoutNs % 1_000_000_000L);
    }
    int ready;
    do {
      ready = Libc.ppoll(scratch, pollfds, count, timeout);
    } while (Calls.interrupted(ready));
    return Calls.check(ready, "ppoll", () -> "fds=" + count + ", timeoutNs=" + timeoutNs);
  }
}
