package io.sluice.abi.sys;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The file and memory calls of {@link RealKernel}. */
final class FileCalls {
  private static final long HUGETLBFS_MAGIC = 0x958458f6L;
  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final int F_GETFD = 1;
  private static final int F_SETFD = 2;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;
  private static final int FD_CLOEXEC = 1;
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;
  private static final int MADV_POPULATE_WRITE = 23;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final int O_CLOEXEC = 0x80000;
  private static final int S_IRUSR = 0400;
  private static final int S_IWUSR = 0200;

  private FileCalls() {}

  static Fd memfdCreate(String name, long sizeBytes) {
    int number;
    try (Arena arena = Arena.ofConfined()) {
      number =
          Calls.check(
              Libc.memfdCreate(arena.allocateFrom(name), MFD_CLOEXEC | MFD_ALLOW_SEALING),
              "memfd_create",
              () -> "name=" + name);
    }
    Fd fd = Calls.own(number);
    int truncated = Libc.ftruncate(number, sizeBytes);
    if (truncated < 0) {
      fd.close();
      throw new SyscallException("ftruncate", "name=" + name + ", size=" + sizeBytes, -truncated);
    }
    return fd;
  }

  static void addSeals(Fd fd, int seals) {
    Calls.check(
        Libc.fcntl(fd.number(), F_ADD_SEALS, seals),
        "fcntl",
        () -> fd + ", F_ADD_SEALS, seals=0x" + Integer.toHexString(seals));
  }

  static int getSeals(Fd fd) {
    return Calls.check(
        Libc.fcntl(fd.number(), F_GET_SEALS, 0), "fcntl", () -> fd + ", F_GET_SEALS");
  }

  static void punchHole(Fd fd, long offset, long lengthBytes) {
    int result;
    do {
      result =
          Libc.fallocate(
              fd.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, lengthBytes);
    } while (Calls.interrupted(result));
    Calls.check(
        result,
        "fallocate",
        () -> fd + ", PUNCH_HOLE | KEEP_SIZE, offset=" + offset + ", length=" + lengthBytes);
  }

  static FileStatus fstat(Fd fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stat = arena.allocate(Stat.LAYOUT);
      Calls.check(Libc.fstat(fd.number(), stat), "fstat", fd::toString);
      return new FileStatus(
          Stat.ST_DEV.get(stat),
          Stat.ST_INO.get(stat),
          Stat.ST_MODE.bits(stat),
          Stat.ST_SIZE.get(stat),
          Stat.ST_BLOCKS.get(stat));
    }
  }

  static long fileSystemType(Fd fd) {
    try (Arena arena = Arena.ofConfined()) {
      return Statfs.F_TYPE.get(fstatfs(fd, arena));
    }
  }

  static long pageBytes(Fd fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = fstatfs(fd, arena);
      return Statfs.F_TYPE.get(statfs) == HUGETLBFS_MAGIC
          ? Statfs.F_BSIZE.get(statfs)
          : FileKernel.PAGE_BYTES;
    }
  }

  private static MemorySegment fstatfs(Fd fd, Arena arena) {
    MemorySegment statfs = arena.allocate(Statfs.LAYOUT);
    int result;
    do {
      result = Libc.fstatfs(fd.number(), statfs);
    } while (Calls.interrupted(result));
    Calls.check(result, "fstatfs", fd::toString);
    return statfs;
  }

  /** Whole pages of the file: munmap refuses a part of a huge one, which mmap maps whole. */
  static Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    long pageBytes = pageBytes(fd);
    if (pageBytes == FileKernel.PAGE_BYTES
        || offset % FileKernel.PAGE_BYTES != 0
        || lengthBytes <= 0) {
      return mmapPages(fd, offset, lengthBytes, protection, 0, lengthBytes);
    }
    long before = offset % pageBytes;
    long pages = Math.ceilDiv(Math.addExact(before, lengthBytes), pageBytes);
    return mmapPages(
        fd, offset - before, Math.multiplyExact(pages, pageBytes), protection, before, lengthBytes);
  }

  /** A mapping, of whose bytes some are given out. */
  private static Mapping mmapPages(
      Fd fd, long offset, long lengthBytes, int protection, long from, long bytes) {
    long address = Libc.mmap(0, lengthBytes, protection, MAP_SHARED, fd.number(), offset);
    if (address < 0) {
      throw new SyscallException(
          "mmap",
          fd + ", offset=" + offset + ", length=" + lengthBytes + ", protection=" + protection,
          (int) -address);
    }
    Arena arena = Arena.ofShared();
    MemorySegment segment = Libc.mapped(address, lengthBytes, arena).asSlice(from, bytes);
    boolean writable = (protection & Kernel.PROT_WRITE) != 0;
    return new SharedMapping(arena, writable ? segment : segment.asReadOnly());
  }

  /**
   * A place for all is reserved first, so that each finds its own. A part of a huge page would be
   * mapped whole, over what stands behind it.
   */
  static Mapping mmapPieces(List<FilePiece> pieces) {
    for (FilePiece piece : pieces) {
      if ((piece.offset() | piece.bytes()) % pageBytes(piece.file()) != 0) {
        throw new SyscallException(
            "mmap",
            piece.file() + ", part of a page, length=" + piece.bytes(),
            Errno.EINVAL.number());
      }
    }
    long total = pieces.stream().mapToLong(FilePiece::bytes).reduce(0, Math::addExact);
    long begin = Libc.mmap(0, total, 0, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin < 0) {
      throw new SyscallException("mmap", "reserved, length=" + total, (int) -begin);
    }
    long at = begin;
    for (FilePiece piece : pieces) {
      long mapped =
          Libc.mmap(
              at,
              piece.bytes(),
              Kernel.PROT_READ | Kernel.PROT_WRITE,
              MAP_SHARED | MAP_FIXED,
              piece.file().number(),
              piece.offset());
      if (mapped < 0) {
        Libc.munmap(begin, total);
        throw new SyscallException(
            "mmap",
            piece.file() + ", offset=" + piece.offset() + ", length=" + piece.bytes(),
            (int) -mapped);
      }
      at += piece.bytes();
    }
    Arena arena = Arena.ofShared();
    return new SharedMapping(arena, Libc.mapped(begin, total, arena));
  }

  static Fd open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path.toString());
      int result;
      do {
        result = Libc.open(name, flags | O_CLOEXEC, S_IRUSR | S_IWUSR);
      } while (Calls.interrupted(result));
      return Calls.own(
          Calls.check(
              result, "open", () -> "path=" + path + ", flags=0x" + Integer.toHexString(flags)));
    }
  }

  static void setAccess(Path path, String attribute, AccessList access) {
    try (Arena arena = Arena.ofConfined()) {
      Calls.check(
          Libc.setxattr(
              arena.allocateFrom(path.toString()),
              arena.allocateFrom(attribute),
              arena.allocateFrom(ValueLayout.JAVA_BYTE, access.encode())),
          "setxattr",
          () -> "path=" + path + ", " + attribute + ", user=" + access.user());
    }
  }

  static Fd dup(Fd fd) {
    return Calls.own(
        Calls.check(
            Libc.fcntl(fd.number(), F_DUPFD_CLOEXEC, 0), "fcntl", () -> fd + ", F_DUPFD_CLOEXEC"));
  }

  static Fd adopt(int number) {
    int flags = Calls.check(Libc.fcntl(number, F_GETFD, 0), "fcntl", () -> number + ", F_GETFD");
    Calls.check(
        Libc.fcntl(number, F_SETFD, flags | FD_CLOEXEC), "fcntl", () -> number + ", F_SETFD");
    return Calls.own(number);
  }

  static void setNonBlocking(Fd fd) {
    int flags = Calls.check(Libc.fcntl(fd.number(), F_GETFL, 0), "fcntl", () -> fd + ", F_GETFL");
    Calls.check(
        Libc.fcntl(fd.number(), F_SETFL, flags | Kernel.NONBLOCK), "fcntl", () -> fd + ", F_SETFL");
  }

  static long read(Fd fd, MemorySegment into) {
    Scratch scratch = Scratch.current();
    long result;
    do {
      result = Libc.read(scratch, fd.number(), into);
    } while (Calls.interrupted(result));
    if (result < 0 && !Calls.wouldBlock(result)) {
      throw new SyscallException("read", fd + ", bytes=" + into.byteSize(), (int) -result);
    }
    return result < 0 ? -1 : result;
  }

  static long write(Fd fd, MemorySegment from) {
    Scratch scratch = Scratch.current();
    long result;
    do {
      result = Libc.write(scratch, fd.number(), from);
    } while (Calls.interrupted(result));
    if (result < 0 && !Calls.wouldBlock(result)) {
      throw new SyscallException("write", fd + ", bytes=" + from.byteSize(), (int) -result);
    }
    return result < 0 ? -1 : result;
  }

  static void pwrite(Fd fd, MemorySegment from, long offset) {
    Scratch scratch = Scratch.current();
    long done = 0;
    while (done < from.byteSize()) {
      long result = Libc.pwrite(scratch, fd.number(), from.asSlice(done), offset + done);
      if (result > 0) {
        done += result;
      } else if (!Calls.interrupted(result)) {
        throw new SyscallException(
            "pwrite",
            fd + ", bytes=" + from.byteSize() + ", offset=0x" + Long.toHexString(offset),
            result == 0 ? Errno.EIO.number() : (int) -result);
      }
    }
  }

  static boolean isMapped(long address) {
    int result = Libc.mincore(address & -FileKernel.PAGE_BYTES, FileKernel.PAGE_BYTES);
    return result != -Errno.ENOMEM.number();
  }

  static void populate(MemorySegment mapped) {
    int result;
    do {
      result = Libc.madvise(mapped, MADV_POPULATE_WRITE);
    } while (Calls.interrupted(result));
    Calls.check(result, "madvise", () -> "POPULATE_WRITE, bytes=" + mapped.byteSize());
  }

  static int ioctl(Fd fd, long request, MemorySegment argument) {
    int result;
    do {
      result = Libc.ioctl(fd.number(), request, argument);
    } while (Calls.interrupted(result));
    return Calls.check(result, "ioctl", () -> fd + ", request=0x" + Long.toHexString(request));
  }

  /** A shared mapping, unmapped when closed, once; one shared arena each. */
  private static final class SharedMapping implements Mapping {
    private final Arena arena;
    private final MemorySegment segment;
    private final AtomicBoolean open = new AtomicBoolean(true);

    SharedMapping(Arena arena, MemorySegment segment) {
      this.arena = arena;
      this.segment = segment;
    }

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void close() {
      if (open.compareAndSet(true, false)) {
        arena.close();
      }
    }
  }
}
