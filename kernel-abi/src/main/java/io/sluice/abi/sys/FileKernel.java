package io.sluice.abi.sys;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** The system calls for files, mappings and devices. See {@link Kernel} for what holds of all. */
public interface FileKernel {
  /** Bytes of a page of the host's memory. */
  long PAGE_BYTES = 4096;

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

  /** What the host gives this process of what all guests share. */
  HostLimits hostLimits();

  /** Memory of the host that is to be had without anybody's losing any ({@code MemAvailable}). */
  long availableBytes();

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
   * Bytes of the pages by which a file is mapped: of its huge pages on hugetlbfs, of the
   * processor's elsewhere.
   */
  long pageBytes(Fd fd);

  /**
   * {@code mmap(NULL, length, prot, MAP_SHARED, fd, offset)}. A part of a huge page takes the
   * addresses of all of it.
   *
   * @param protection {@link #PROT_READ}, {@link #PROT_WRITE}
   */
  Mapping mmap(Fd fd, long offset, long lengthBytes, int protection);

  /**
   * Maps pieces of files, one behind the other: one piece of memory that may be read and written.
   *
   * @param pieces at least one
   */
  Mapping mmapPieces(List<FilePiece> pieces);

  /** {@code open(path, flags | O_CLOEXEC, 0600)}: what is made is its owner's alone. */
  Fd open(Path path, int flags);

  /** {@code fcntl(F_DUPFD_CLOEXEC)}: a second descriptor of the same open file. */
  Fd dup(Fd fd);

  /** {@code setxattr(system.posix_acl_access)}: who may use a file. */
  void setAccess(Path path, AccessList access);

  /** {@code setxattr(system.posix_acl_default)}: who may use the files made in a directory. */
  void setDefaultAccess(Path directory, AccessList access);

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

  /** {@code mincore}: whether this process has anything at an address. */
  boolean isMapped(long address);

  /** {@code ioctl(fd, request, arg)}: its result, not negative. */
  int ioctl(Fd fd, long request, MemorySegment arg);
}
