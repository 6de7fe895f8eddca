package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.AccessList;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FileKernel;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The files of a fake kernel: memfds, their mappings, devices of the test's. */
final class FakeFiles implements FileKernel {
  /** Longest file: its memory is taken from this process. */
  private static final long MAX_FILE_BYTES = 256L << 20;

  private final CallGate gate;
  private final DescriptorTable descriptors;
  // Below is guarded by the gate.
  private final Map<Path, DeviceDriver> devices = new HashMap<>();
  private int mappings;
  private volatile long availableBytes = 8L << 30;

  FakeFiles(CallGate gate, DescriptorTable descriptors) {
    this.gate = gate;
    this.descriptors = descriptors;
  }

  /** Mappings that were not closed. */
  int mappings() {
    return gate.locked(() -> mappings);
  }

  /** A device node that can be opened. */
  void device(Path path, DeviceDriver driver) {
    gate.locked(() -> devices.put(path, driver));
  }

  /** A file that is no memfd and cannot be sealed, on a file system of a type. */
  Fd plainFile(String name, long sizeBytes, long fileSystemType) {
    return gate.locked(() ->
        descriptors.install(
            new MemoryFile(name, descriptors.nextInode(), sizeBytes, fileSystemType, false)));
  }

  /** A memfd of pages of 2 MiB. */
  Fd hugeFile(String name, long sizeBytes) {
    return gate.locked(() ->
        descriptors.install(
            new MemoryFile(
                name, descriptors.nextInode(), sizeBytes, MemoryFile.HUGETLBFS_MAGIC, true)));
  }

  /**
   * Changes a memfd's length, as another process that holds it may.
   *
   * @throws SyscallException EPERM when a seal forbids it
   */
  void truncate(Fd fd, long sizeBytes) {
    gate.locked(() -> descriptors.memoryFile(fd, "ftruncate").truncate(sizeBytes));
  }

  /** As a small host has them. */
  @Override
  public HostLimits hostLimits() {
    return new HostLimits(1024, 65_530, 8L << 30);
  }

  @Override
  public long availableBytes() {
    return availableBytes;
  }

  /** Has the host have as much memory left. */
  void setAvailableBytes(long bytes) {
    availableBytes = bytes;
  }

  @Override
  public Fd memfdCreate(String name, long sizeBytes) {
    return gate.call(
        "memfdCreate",
        () -> {
          if (sizeBytes < 0) {
            throw new SyscallException("ftruncate", "name=" + name, Errno.EINVAL.number());
          }
          if (sizeBytes > MAX_FILE_BYTES) {
            throw new SyscallException("ftruncate", "name=" + name, Errno.EFBIG.number());
          }
          return descriptors.install(
              new MemoryFile(
                  name, descriptors.nextInode(), sizeBytes, MemoryFile.TMPFS_MAGIC, true));
        });
  }

  @Override
  public void addSeals(Fd fd, int seals) {
    gate.run("addSeals", () -> descriptors.memoryFile(fd, "fcntl").addSeals(seals));
  }

  @Override
  public int getSeals(Fd fd) {
    return gate.call("getSeals", () -> descriptors.memoryFile(fd, "fcntl").seals());
  }

  @Override
  public void punchHole(Fd fd, long offset, long lengthBytes) {
    gate.run(
        "punchHole", () -> descriptors.memoryFile(fd, "fallocate").punchHole(offset, lengthBytes));
  }

  @Override
  public FileStatus fstat(Fd fd) {
    return gate.call("fstat", () -> descriptors.file(fd, "fstat").status());
  }

  @Override
  public long fileSystemType(Fd fd) {
    return gate.call("fileSystemType", () -> descriptors.file(fd, "fstatfs").fileSystemType());
  }

  /** The fake has no files by name. */
  @Override
  public void setAccess(Path path, AccessList access) {
    throw new UnsupportedOperationException("setxattr " + path);
  }

  @Override
  public void setDefaultAccess(Path directory, AccessList access) {
    throw new UnsupportedOperationException("setxattr " + directory);
  }

  @Override
  public long pageBytes(Fd fd) {
    return gate.call("pageBytes", () -> descriptors.file(fd, "fstatfs").pageBytes());
  }

  @Override
  public Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    return gate.call(
        "mmap",
        () -> {
          OpenFile file = descriptors.file(fd, "mmap");
          if (!(file instanceof MemoryFile memory)) {
            throw file.failure("mmap", Errno.ENODEV);
          }
          MemorySegment slice = memory.slice(offset, lengthBytes);
          file.acquire();
          mappings++;
          return new FakeMapping(
              file,
              (protection & FileKernel.PROT_WRITE) != 0 ? slice : slice.asReadOnly(),
              this::unmap);
        });
  }

  /** One piece: those of the fake's files do not stand one behind the other. */
  @Override
  public Mapping mmapPieces(List<FilePiece> pieces) {
    if (pieces.size() != 1) {
      throw new UnsupportedOperationException("the fake maps one piece");
    }
    FilePiece piece = pieces.getFirst();
    return mmap(
        piece.file(), piece.offset(), piece.bytes(), FileKernel.PROT_READ | FileKernel.PROT_WRITE);
  }

  @Override
  public Fd open(Path path, int flags) {
    return gate.call(
        "open",
        () -> {
          DeviceDriver driver = devices.get(path);
          if (driver == null) {
            throw new SyscallException("open", "path=" + path, Errno.ENOENT.number());
          }
          return descriptors.install(new DeviceFile(path, descriptors.nextInode(), driver));
        });
  }

  @Override
  public Fd dup(Fd fd) {
    return gate.call("dup", () -> descriptors.install(descriptors.file(fd, "fcntl")));
  }

  @Override
  public Fd adopt(int number) {
    return gate.call("adopt", () -> descriptors.adopt(number));
  }

  @Override
  public void setNonBlocking(Fd fd) {
    gate.run("setNonBlocking", () -> descriptors.file(fd, "fcntl").nonBlocking = true);
  }

  @Override
  public long read(Fd fd, MemorySegment into) {
    return gate.call(
        "read",
        () -> {
          OpenFile file = descriptors.file(fd, "read");
          return gate.untilPossible(file.nonBlocking, () -> file.read(into));
        });
  }

  @Override
  public long write(Fd fd, MemorySegment from) {
    return gate.call(
        "write",
        () -> {
          OpenFile file = descriptors.file(fd, "write");
          return gate.untilPossible(file.nonBlocking, () -> file.write(from));
        });
  }

  @Override
  public void pwrite(Fd fd, MemorySegment from, long offset) {
    gate.run("pwrite", () -> descriptors.memoryFile(fd, "pwrite").write(from, offset));
  }

  /** Its memory is this process'. */
  @Override
  public boolean isMapped(long address) {
    return RealKernel.create().isMapped(address);
  }

  @Override
  public void populate(MemorySegment mapped) {
    gate.run(
        "populate",
        () -> {
          if (mapped.isReadOnly() || mapped.address() % MemoryFile.PAGE_BYTES != 0) {
            throw new SyscallException(
                "madvise", "bytes=" + mapped.byteSize(), Errno.EINVAL.number());
          }
        });
  }

  @Override
  public int ioctl(Fd fd, long request, MemorySegment arg) {
    DeviceDriver driver =
        gate.call(
            "ioctl",
            () -> {
              OpenFile file = descriptors.file(fd, "ioctl");
              if (!(file instanceof DeviceFile device)) {
                throw file.failure("ioctl", Errno.ENOTTY);
              }
              return device.driver;
            });
    return driver.ioctl(request, arg); // without the lock: a driver may use this kernel
  }

  private void unmap(OpenFile file) {
    gate.locked(() -> {
      mappings--;
      file.release();
    });
  }
}
