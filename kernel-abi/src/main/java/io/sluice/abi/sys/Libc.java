package io.sluice.abi.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The C library's functions, one static method each: no policy, no exception for a failed call, no
 * allocation. A failure is returned as the negative errno, as the kernel itself returns it.
 *
 * <p>Where a function takes the address of a structure that points to the caller's memory, that
 * memory is passed once more as an argument the function does not have: in the calling convention
 * of x86-64 it is a register that nobody reads, and it keeps the memory's arena from being closed
 * while the kernel works on it.
 */
final class Libc {
  /** The layout of the captured call state: one word, errno. */
  static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();

  /** Number of {@code ppoll} in the system-call table of x86-64, {@code asm/unistd_64.h}. */
  static final long SYS_PPOLL = 271;

  /** Number of {@code io_setup}, likewise. */
  static final long SYS_IO_SETUP = 206;

  /** Number of {@code io_getevents}, likewise. */
  static final long SYS_IO_GETEVENTS = 208;

  /** Number of {@code io_submit}, likewise. */
  static final long SYS_IO_SUBMIT = 209;

  /** Number of {@code futex}, likewise. */
  static final long SYS_FUTEX = 202;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
  private static final VarHandle ERRNO =
      ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final ValueLayout INT = ValueLayout.JAVA_INT;
  private static final ValueLayout LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout PTR = ValueLayout.ADDRESS;

  private static final MethodHandle CLOSE = function("close", INT, INT);
  private static final MethodHandle OPEN = variadic("open", 2, INT, PTR, INT, INT);
  private static final MethodHandle READ = function("read", LONG, INT, PTR, LONG);
  private static final MethodHandle WRITE = function("write", LONG, INT, PTR, LONG);
  private static final MethodHandle PWRITE = function("pwrite", LONG, INT, PTR, LONG, LONG);
  private static final MethodHandle FCNTL = variadic("fcntl", 2, INT, INT, INT, INT);
  private static final MethodHandle IOCTL = variadic("ioctl", 2, INT, INT, LONG, PTR);
  private static final MethodHandle FSTAT = function("fstat", INT, INT, PTR);
  private static final MethodHandle FSTATFS = function("fstatfs", INT, INT, PTR);
  private static final MethodHandle MEMFD_CREATE = function("memfd_create", INT, PTR, INT);
  private static final MethodHandle FTRUNCATE = function("ftruncate", INT, INT, LONG);
  private static final MethodHandle FALLOCATE = function("fallocate", INT, INT, INT, LONG, LONG);
  private static final MethodHandle MMAP = function("mmap", LONG, LONG, LONG, INT, INT, INT, LONG);
  private static final MethodHandle MINCORE = function("mincore", INT, LONG, LONG, PTR);
  private static final MethodHandle MADVISE = function("madvise", INT, PTR, LONG, INT);
  private static final MethodHandle MUNMAP = function("munmap", INT, LONG, LONG);
  private static final MethodHandle SETXATTR = function("setxattr", INT, PTR, PTR, PTR, LONG, INT);
  private static final MethodHandle EVENTFD = function("eventfd", INT, INT, INT);
  private static final MethodHandle PPOLL =
      variadic("syscall", 1, LONG, LONG, PTR, LONG, PTR, PTR, LONG);
  private static final MethodHandle IO_SETUP = variadic("syscall", 1, LONG, LONG, LONG, PTR);
  private static final MethodHandle IO_SUBMIT = variadic("syscall", 1, LONG, LONG, LONG, LONG, PTR);
  private static final MethodHandle IO_GETEVENTS =
      variadic("syscall", 1, LONG, LONG, LONG, LONG, LONG, PTR, PTR);
  private static final MethodHandle FUTEX = variadic("syscall", 1, LONG, LONG, PTR, INT, INT);
  private static final MethodHandle CLOCK_GETTIME = function("clock_gettime", INT, INT, PTR);
  private static final MethodHandle GETRUSAGE = function("getrusage", INT, INT, PTR);
  private static final MethodHandle NICE = function("nice", INT, INT);
  private static final MethodHandle SOCKET = function("socket", INT, INT, INT, INT);
  private static final MethodHandle SOCKETPAIR = function("socketpair", INT, INT, INT, INT, PTR);
  private static final MethodHandle BIND = function("bind", INT, INT, PTR, INT);
  private static final MethodHandle LISTEN = function("listen", INT, INT, INT);
  private static final MethodHandle ACCEPT4 = function("accept4", INT, INT, PTR, PTR, INT);
  private static final MethodHandle CONNECT = function("connect", INT, INT, PTR, INT);
  private static final MethodHandle SENDMSG = function("sendmsg", LONG, INT, PTR, INT, PTR);
  private static final MethodHandle RECVMSG = function("recvmsg", LONG, INT, PTR, INT, PTR);
  private static final MethodHandle GETSOCKOPT =
      function("getsockopt", INT, INT, INT, INT, PTR, PTR);
  private static final MethodHandle SETSOCKOPT =
      function("setsockopt", INT, INT, INT, INT, PTR, INT);
  private static final MethodHandle SHUTDOWN = function("shutdown", INT, INT, INT);

  private Libc() {}

  // ---- files and memory ----

  static int close(int fd) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) CLOSE.invokeExact(scratch.errno, fd));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int open(MemorySegment path, int flags, int mode) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) OPEN.invokeExact(scratch.errno, path, flags, mode));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long read(Scratch scratch, int fd, MemorySegment into) {
    try {
      return result(scratch, (long) READ.invokeExact(scratch.errno, fd, into, into.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long write(Scratch scratch, int fd, MemorySegment from) {
    try {
      return result(scratch, (long) WRITE.invokeExact(scratch.errno, fd, from, from.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long pwrite(Scratch scratch, int fd, MemorySegment from, long offset) {
    try {
      return result(
          scratch, (long) PWRITE.invokeExact(scratch.errno, fd, from, from.byteSize(), offset));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int fcntl(int fd, int command, int argument) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) FCNTL.invokeExact(scratch.errno, fd, command, argument));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int ioctl(int fd, long request, MemorySegment argument) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) IOCTL.invokeExact(scratch.errno, fd, request, argument));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int fstat(int fd, MemorySegment stat) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) FSTAT.invokeExact(scratch.errno, fd, stat));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int fstatfs(int fd, MemorySegment statfs) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) FSTATFS.invokeExact(scratch.errno, fd, statfs));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int setxattr(MemorySegment path, MemorySegment name, MemorySegment value) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch,
          (int) SETXATTR.invokeExact(scratch.errno, path, name, value, value.byteSize(), 0));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int memfdCreate(MemorySegment name, int flags) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) MEMFD_CREATE.invokeExact(scratch.errno, name, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int ftruncate(int fd, long sizeBytes) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) FTRUNCATE.invokeExact(scratch.errno, fd, sizeBytes));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int fallocate(int fd, int mode, long offset, long lengthBytes) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch, (int) FALLOCATE.invokeExact(scratch.errno, fd, mode, offset, lengthBytes));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long mmap(long address, long lengthBytes, int protection, int flags, int fd, long offset) {
    Scratch scratch = Scratch.current();
    try {
      long mapped =
          (long)
              MMAP.invokeExact(scratch.errno, address, lengthBytes, protection, flags, fd, offset);
      return result(scratch, mapped);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int madvise(MemorySegment mapped, int advice) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch, (int) MADVISE.invokeExact(scratch.errno, mapped, mapped.byteSize(), advice));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Of one page; what it says of the page's residence is not kept. */
  static int mincore(long address, long lengthBytes) {
    Scratch scratch = Scratch.current();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment residence = arena.allocate(1);
      return result(
          scratch, (int) MINCORE.invokeExact(scratch.errno, address, lengthBytes, residence));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int munmap(long address, long lengthBytes) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) MUNMAP.invokeExact(scratch.errno, address, lengthBytes));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // ---- events ----

  static int eventfd(int initial, int flags) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) EVENTFD.invokeExact(scratch.errno, initial, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * The system call itself, not the library's wrapper: the kernel leaves in {@code timeout} what
   * remains of it, which the wrapper hides.
   *
   * @param timeout a {@code timespec}, or NULL to wait for ever
   */
  static int ppoll(Scratch scratch, MemorySegment pollfds, int count, MemorySegment timeout) {
    try {
      long ready =
          (long)
              PPOLL.invokeExact(
                  scratch.errno, SYS_PPOLL, pollfds, (long) count, timeout, MemorySegment.NULL, 8L);
      return (int) result(scratch, ready);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // ---- sockets ----

  static int socket(int domain, int type, int protocol) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) SOCKET.invokeExact(scratch.errno, domain, type, protocol));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * @param pair receives two descriptors of 32 bits
   */
  static int socketpair(int domain, int type, MemorySegment pair) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) SOCKETPAIR.invokeExact(scratch.errno, domain, type, 0, pair));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int bind(int fd, MemorySegment address) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch, (int) BIND.invokeExact(scratch.errno, fd, address, (int) address.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int listen(int fd, int backlog) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) LISTEN.invokeExact(scratch.errno, fd, backlog));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int accept4(int fd, int flags) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch,
          (int)
              ACCEPT4.invokeExact(
                  scratch.errno, fd, MemorySegment.NULL, MemorySegment.NULL, flags));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int connect(int fd, MemorySegment address) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch, (int) CONNECT.invokeExact(scratch.errno, fd, address, (int) address.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * @param data what {@code msghdr} points to, kept alive during the call
   */
  static long sendmsg(Scratch scratch, int fd, int flags, MemorySegment data) {
    try {
      return result(
          scratch, (long) SENDMSG.invokeExact(scratch.errno, fd, scratch.msghdr, flags, data));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * @param data what {@code msghdr} points to, kept alive during the call
   */
  static long recvmsg(Scratch scratch, int fd, int flags, MemorySegment data) {
    try {
      return result(
          scratch, (long) RECVMSG.invokeExact(scratch.errno, fd, scratch.msghdr, flags, data));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * @param length in and out: bytes of {@code value}, 32 bits
   */
  static int getsockopt(int fd, int level, int option, MemorySegment value, MemorySegment length) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch, (int) GETSOCKOPT.invokeExact(scratch.errno, fd, level, option, value, length));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int setsockopt(int fd, int level, int option, MemorySegment value) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch,
          (int)
              SETSOCKOPT.invokeExact(
                  scratch.errno, fd, level, option, value, (int) value.byteSize()));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int shutdown(int fd, int how) {
    Scratch scratch = Scratch.current();
    try {
      return result(scratch, (int) SHUTDOWN.invokeExact(scratch.errno, fd, how));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // ---- asynchronous I/O ----

  /**
   * @param context receives the context; one word, 0 before
   */
  static long ioSetup(int events, MemorySegment context) {
    Scratch scratch = Scratch.current();
    try {
      return result(
          scratch,
          (long) IO_SETUP.invokeExact(scratch.errno, SYS_IO_SETUP, (long) events, context));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Submits the one request that {@code scratch.iocbs} points to. */
  static long ioSubmit(Scratch scratch, long context) {
    try {
      return result(
          scratch,
          (long) IO_SUBMIT.invokeExact(scratch.errno, SYS_IO_SUBMIT, context, 1L, scratch.iocbs));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Takes finished requests, as many as {@code events} has room for, without waiting. */
  static long ioGetevents(Scratch scratch, long context, long most, MemorySegment events) {
    try {
      return result(
          scratch,
          (long)
              IO_GETEVENTS.invokeExact(
                  scratch.errno, SYS_IO_GETEVENTS, context, 0L, most, events, scratch.timespec));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long futex(Scratch scratch, MemorySegment word, int operation, int count) {
    try {
      return result(
          scratch, (long) FUTEX.invokeExact(scratch.errno, SYS_FUTEX, word, operation, count));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Into the scratch's timespec. */
  static int clockGettime(Scratch scratch, int clock) {
    try {
      return result(
          scratch, (int) CLOCK_GETTIME.invokeExact(scratch.errno, clock, scratch.timespec));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getrusage(Scratch scratch, int who) {
    try {
      return result(scratch, (int) GETRUSAGE.invokeExact(scratch.errno, who, scratch.rusage));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Of the calling thread; -1 may be its new value as well as an error. */
  static void nice(Scratch scratch, int more) {
    try {
      int _ = (int) NICE.invokeExact(scratch.errno, more);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  // ---- helpers ----

  /** Memory at an address the kernel gave, until the arena is closed. */
  static MemorySegment mapped(long address, long lengthBytes, Arena arena) {
    return MemorySegment.ofAddress(address)
        .reinterpret(lengthBytes, arena, segment -> munmap(segment.address(), lengthBytes));
  }

  private static int result(Scratch scratch, int returned) {
    return returned == -1 ? -(int) ERRNO.get(scratch.errno, 0L) : returned;
  }

  private static long result(Scratch scratch, long returned) {
    return returned == -1 ? -(int) ERRNO.get(scratch.errno, 0L) : returned;
  }

  /** The handles throw nothing of their own: what comes is a closed arena, or a bug. */
  private static RuntimeException unexpected(Throwable thrown) {
    if (thrown instanceof RuntimeException exception) {
      return exception;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    throw new AssertionError("a downcall threw a checked exception", thrown);
  }

  private static MethodHandle function(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(symbol(name), FunctionDescriptor.of(result, arguments), CAPTURE);
  }

  private static MethodHandle variadic(
      String name, int firstVariadic, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        symbol(name),
        FunctionDescriptor.of(result, arguments),
        CAPTURE,
        Linker.Option.firstVariadicArg(firstVariadic));
  }

  private static MemorySegment symbol(String name) {
    return LINKER
        .defaultLookup()
        .find(name)
        .orElseThrow(() ->
            new AssertionError(
                "the C library lacks a function, name=" + name + "; glibc 2.33 or newer has it"));
  }
}
