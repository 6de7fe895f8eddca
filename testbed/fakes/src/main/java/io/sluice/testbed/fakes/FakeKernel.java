package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.AccessList;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A kernel in memory, for one process that talks to itself: memfds, eventfds, UNIX sockets that
 * carry descriptors, devices whose driver the test writes. It counts what is open, and fails the
 * calls it is told to.
 *
 * <p>Where it is coarser than Linux: a closed mapping's memory stays readable while the file is
 * open; a mapping beyond a file's end is ENXIO at once; a listener's path is free when it is
 * closed.
 */
public final class FakeKernel implements Kernel {
  /** Longest file: its memory is taken from this process. */
  public static final long MAX_FILE_BYTES = 256L << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All below is guarded by lock.
  private LongSupplier processorNs = System::nanoTime;
  private final DescriptorTable descriptors = new DescriptorTable(this::close);
  private final Map<Path, ListenerFile> listeners = new HashMap<>();
  private final Map<Path, Driver> devices = new HashMap<>();
  private final Failures failures = new Failures();
  private PeerCredentials self = new PeerCredentials(1000, 1000, 1000);
  private volatile long availableBytes = 8L << 30;
  private int mappings;
  private long nextInode = 1;

  /** What a device does when it is asked. */
  @FunctionalInterface
  public interface Driver {
    /**
     * @return the result of the call, not negative
     * @throws SyscallException with the errno of a call that fails
     */
    int ioctl(long request, MemorySegment argument);
  }

  // ---- for the test ----

  /**
   * Makes a later call fail.
   *
   * @param call the method of {@link Kernel}
   * @param n 1 for the next call of it, 2 for the one after, …
   */
  public void fail(String call, int n, Errno errno) {
    locked(() -> failures.plan(call, n, errno));
  }

  /** Failures that were asked for and have not happened yet. */
  public List<String> outstandingFailures() {
    return locked(failures::outstanding);
  }

  /** How often a method of {@link Kernel} was called. */
  public long count(String call) {
    return locked(() -> failures.count(call));
  }

  /** The open descriptors: number and what it is. */
  public Map<Integer, String> openFds() {
    return locked(descriptors::names);
  }

  /** Mappings that were not closed. */
  public int mappings() {
    return locked(() -> mappings);
  }

  /** What peers of connections made from now on are told of the other end. */
  public void becomes(PeerCredentials credentials) {
    locked(() -> self = credentials);
  }

  /** A device node that can be opened. */
  public void device(Path path, Driver driver) {
    locked(() -> devices.put(path, driver));
  }

  /** A file that is no memfd and cannot be sealed, on a file system of a type. */
  public Fd plainFile(String name, long sizeBytes, long fileSystemType) {
    return locked(() ->
        descriptors.install(new MemoryFile(name, nextInode++, sizeBytes, fileSystemType, false)));
  }

  /** A memfd of pages of 2 MiB. */
  public Fd hugeFile(String name, long sizeBytes) {
    return locked(() ->
        descriptors.install(
            new MemoryFile(name, nextInode++, sizeBytes, MemoryFile.HUGETLBFS_MAGIC, true)));
  }

  /**
   * Changes a memfd's length, as another process that holds it may.
   *
   * @throws SyscallException EPERM when a seal forbids it
   */
  public void truncate(Fd fd, long sizeBytes) {
    locked(() -> descriptors.memoryFile(fd, "ftruncate").truncate(sizeBytes));
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
  public void setAvailableBytes(long bytes) {
    availableBytes = bytes;
  }

  // ---- files and memory ----

  @Override
  public Fd memfdCreate(String name, long sizeBytes) {
    return call(
        "memfdCreate",
        () -> {
          if (sizeBytes < 0) {
            throw new SyscallException("ftruncate", "name=" + name, Errno.EINVAL.number());
          }
          if (sizeBytes > MAX_FILE_BYTES) {
            throw new SyscallException("ftruncate", "name=" + name, Errno.EFBIG.number());
          }
          return descriptors.install(
              new MemoryFile(name, nextInode++, sizeBytes, MemoryFile.TMPFS_MAGIC, true));
        });
  }

  @Override
  public void addSeals(Fd fd, int seals) {
    run("addSeals", () -> descriptors.memoryFile(fd, "fcntl").addSeals(seals));
  }

  @Override
  public int getSeals(Fd fd) {
    return call("getSeals", () -> descriptors.memoryFile(fd, "fcntl").seals());
  }

  @Override
  public void punchHole(Fd fd, long offset, long lengthBytes) {
    run("punchHole", () -> descriptors.memoryFile(fd, "fallocate").punchHole(offset, lengthBytes));
  }

  @Override
  public FileStatus fstat(Fd fd) {
    return call("fstat", () -> descriptors.file(fd, "fstat").status());
  }

  @Override
  public long fileSystemType(Fd fd) {
    return call("fileSystemType", () -> descriptors.file(fd, "fstatfs").fileSystemType());
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
    return call("pageBytes", () -> descriptors.file(fd, "fstatfs").pageBytes());
  }

  @Override
  public Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    return call(
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
              file, (protection & PROT_WRITE) != 0 ? slice : slice.asReadOnly(), this::unmap);
        });
  }

  /** One piece: those of the fake's files do not stand one behind the other. */
  @Override
  public Mapping mmapPieces(List<FilePiece> pieces) {
    if (pieces.size() != 1) {
      throw new UnsupportedOperationException("the fake maps one piece");
    }
    FilePiece piece = pieces.getFirst();
    return mmap(piece.file(), piece.offset(), piece.bytes(), PROT_READ | PROT_WRITE);
  }

  @Override
  public Fd open(Path path, int flags) {
    return call(
        "open",
        () -> {
          Driver driver = devices.get(path);
          if (driver == null) {
            throw new SyscallException("open", "path=" + path, Errno.ENOENT.number());
          }
          return descriptors.install(new DeviceFile(path, nextInode++, driver));
        });
  }

  @Override
  public Fd dup(Fd fd) {
    return call("dup", () -> descriptors.install(descriptors.file(fd, "fcntl")));
  }

  @Override
  public Fd adopt(int number) {
    return call("adopt", () -> descriptors.adopt(number));
  }

  @Override
  public void setNonBlocking(Fd fd) {
    run("setNonBlocking", () -> descriptors.file(fd, "fcntl").nonBlocking = true);
  }

  @Override
  public long read(Fd fd, MemorySegment into) {
    return call(
        "read",
        () -> {
          OpenFile file = descriptors.file(fd, "read");
          return untilPossible(file.nonBlocking, () -> file.read(into));
        });
  }

  @Override
  public long write(Fd fd, MemorySegment from) {
    return call(
        "write",
        () -> {
          OpenFile file = descriptors.file(fd, "write");
          return untilPossible(file.nonBlocking, () -> file.write(from));
        });
  }

  @Override
  public void pwrite(Fd fd, MemorySegment from, long offset) {
    run("pwrite", () -> descriptors.memoryFile(fd, "pwrite").write(from, offset));
  }

  /** Its memory is this process'. */
  @Override
  public boolean isMapped(long address) {
    return RealKernel.create().isMapped(address);
  }

  @Override
  public void populate(MemorySegment mapped) {
    run(
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
    Driver driver =
        call(
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

  // ---- events ----

  @Override
  public Fd eventfd(int initial, int flags) {
    return call(
        "eventfd",
        () -> {
          if ((flags & ~NONBLOCK) != 0) {
            throw new SyscallException("eventfd", "flags=" + flags, Errno.EINVAL.number());
          }
          return descriptors.install(new EventFile(nextInode++, initial, flags != 0));
        });
  }

  @Override
  public void signal(Fd eventfd) {
    run(
        "signal",
        () -> {
          EventFile event = descriptors.eventFile(eventfd);
          untilPossible(event.nonBlocking, () -> event.add(1) ? 1 : -1);
        });
  }

  @Override
  public void signalForeign(Fd eventfd) {
    run("signalForeign", () -> descriptors.eventFile(eventfd).add(1));
  }

  @Override
  public boolean canSignalForeign() {
    return true;
  }

  /** What threads are told that they have had of processors. */
  public void processorTime(LongSupplier clock) {
    locked(() -> processorNs = clock);
  }

  @Override
  public long processorTimeNs() {
    return locked(() -> processorNs).getAsLong();
  }

  /** Nobody runs by a fake kernel. */
  @Override
  public void giveWay(int nice) {
    run("giveWay", () -> {});
  }

  /** Nobody sleeps on memory in a fake kernel. */
  @Override
  public void wakeFutex(MemorySegment word) {
    run("wakeFutex", () -> {});
  }

  @Override
  public boolean isEventfd(Fd fd) {
    return call("isEventfd", () -> descriptors.file(fd, "readlink") instanceof EventFile);
  }

  @Override
  public long drain(Fd eventfd) {
    return call(
        "drain",
        () -> {
          EventFile event = descriptors.eventFile(eventfd);
          long taken =
              untilPossible(
                  event.nonBlocking, () -> event.readiness() == POLLOUT ? -1 : event.take());
          return taken == -1 ? 0 : taken;
        });
  }

  @Override
  public int pollNs(List<Fd> fds, short[] events, short[] revents, long timeoutNs) {
    return call(
        "poll",
        () -> {
          long leftNanos = timeoutNs;
          while (true) {
            int ready = 0;
            for (int i = 0; i < fds.size(); i++) {
              int reported = events[i] | POLLHUP | POLLERR;
              revents[i] = (short) (descriptors.file(fds.get(i), "ppoll").readiness() & reported);
              ready += revents[i] != 0 ? 1 : 0;
            }
            if (ready > 0 || (timeoutNs >= 0 && leftNanos <= 0)) {
              return ready;
            }
            leftNanos = await(timeoutNs < 0 ? Long.MAX_VALUE : leftNanos);
          }
        });
  }

  // ---- sockets ----

  @Override
  public List<Fd> socketpair() {
    return call(
        "socketpair",
        () -> {
          SocketEnd one = new SocketEnd(nextInode++, self);
          SocketEnd other = new SocketEnd(nextInode++, self);
          SocketEnd.connect(one, other);
          return List.of(descriptors.install(one), descriptors.install(other));
        });
  }

  @Override
  public Fd listen(Path path, int backlog) {
    return call(
        "listen",
        () -> {
          if (listeners.containsKey(path)) {
            throw new SyscallException("bind", "path=" + path, Errno.EADDRINUSE.number());
          }
          ListenerFile listener =
              new ListenerFile(path, nextInode++, backlog, gone -> listeners.remove(gone.path));
          listeners.put(path, listener);
          return descriptors.install(listener);
        });
  }

  @Override
  public Fd accept(Fd listener) {
    return call(
        "accept",
        () -> {
          OpenFile file = descriptors.file(listener, "accept4");
          if (!(file instanceof ListenerFile listening)) {
            throw file.failure("accept4", Errno.EINVAL);
          }
          SocketEnd server = listening.next();
          while (server == null) {
            if (listening.nonBlocking) {
              throw listening.failure("accept4", Errno.EAGAIN);
            }
            await(Long.MAX_VALUE);
            descriptors.file(listener, "accept4");
            server = listening.next();
          }
          Fd accepted = descriptors.install(server);
          server.release(); // the descriptor holds it now, the queue no longer does
          return accepted;
        });
  }

  @Override
  public Fd connect(Path path) {
    return call(
        "connect",
        () -> {
          ListenerFile listener = listeners.get(path);
          if (listener == null) {
            throw new SyscallException("connect", "path=" + path, Errno.ENOENT.number());
          }
          if (listener.isShut()) {
            throw new SyscallException("connect", "path=" + path, Errno.ECONNREFUSED.number());
          }
          if (!listener.hasRoom()) {
            throw new SyscallException("connect", "path=" + path, Errno.EAGAIN.number());
          }
          SocketEnd client = new SocketEnd(nextInode++, self);
          SocketEnd server = new SocketEnd(nextInode++, self);
          SocketEnd.connect(client, server);
          listener.enqueue(server);
          return descriptors.install(client);
        });
  }

  /** Nobody receives datagrams here. */
  @Override
  public Fd connectDatagram(String address) {
    return call(
        "connect",
        () -> {
          throw new SyscallException("connect", "path=" + address, Errno.ENOENT.number());
        });
  }

  @Override
  public void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    if (data.byteSize() == 0 || fds.size() > MAX_MESSAGE_FDS) {
      throw new IllegalArgumentException(
          "at least one byte, at most 16 descriptors, fds=" + fds.size());
    }
    run(
        "sendmsg",
        () -> {
          SocketEnd end = descriptors.socketEnd(socket, "sendmsg");
          List<OpenFile> files = new ArrayList<>();
          for (Fd fd : fds) {
            files.add(descriptors.file(fd, "sendmsg"));
          }
          long[] sent = {0};
          while (sent[0] < data.byteSize()) {
            // Never -1: also a non-blocking socket is waited for, as the seam says.
            sent[0] +=
                untilPossible(
                    false, () -> end.send(data, sent[0], sent[0] == 0 ? files : List.of()));
          }
        });
  }

  @Override
  public long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    if (into.byteSize() == 0) {
      throw new IllegalArgumentException("a message has at least one byte");
    }
    return call(
        "recvmsg",
        () -> {
          SocketEnd end = descriptors.socketEnd(socket, "recvmsg");
          List<OpenFile> files = new ArrayList<>();
          long bytes = untilPossible(end.nonBlocking, () -> end.receive(into, files));
          for (OpenFile file : files) {
            fds.add(descriptors.install(file));
            file.release(); // the descriptor holds it now, the message no longer does
          }
          return bytes;
        });
  }

  @Override
  public boolean isSocket(Fd fd) {
    return call("isSocket", () -> descriptors.file(fd, "readlink") instanceof SocketEnd);
  }

  @Override
  public PeerCredentials peerCredentials(Fd socket) {
    return call(
        "peerCredentials", () -> descriptors.socketEnd(socket, "getsockopt").peerCredentials);
  }

  /** There is no time here: nobody who receives is ever told that it is over. */
  @Override
  public void setReceiveTimeout(Fd socket, int timeoutMs) {
    run(
        "setsockopt",
        () -> {
          SocketEnd _ = descriptors.socketEnd(socket, "setsockopt");
        });
  }

  @Override
  public void stopLingering(Fd fd) {
    run(
        "setsockopt",
        () -> {
          OpenFile _ = descriptors.file(fd, "setsockopt");
        });
  }

  @Override
  public void shutdown(Fd socket) {
    run(
        "shutdown",
        () -> {
          OpenFile file = descriptors.file(socket, "shutdown");
          if (file instanceof SocketEnd end) {
            end.shutdown();
          } else if (file instanceof ListenerFile listener) {
            listener.shutdown();
          } else {
            throw file.failure("shutdown", Errno.ENOTSOCK);
          }
        });
  }

  // ---- the lock ----

  private void close(int number) {
    locked(() -> descriptors.remove(number));
  }

  private void unmap(OpenFile file) {
    locked(() -> {
      mappings--;
      file.release();
    });
  }

  /** Repeats an attempt that yields -1 after each change, unless the file is non-blocking. */
  private long untilPossible(boolean nonBlocking, Attempt attempt) {
    long result = attempt.make();
    while (result == -1 && !nonBlocking) {
      await(Long.MAX_VALUE);
      result = attempt.make();
    }
    return result;
  }

  private long await(long nanos) {
    try {
      return changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted in a call of the fake kernel", e);
    }
  }

  private <T> T call(String name, Supplier<T> body) {
    return locked(() -> {
      failures.enter(name);
      return body.get();
    });
  }

  private void run(String name, Runnable body) {
    locked(() -> {
      failures.enter(name);
      body.run();
    });
  }

  private void locked(Runnable body) {
    lock.lock();
    try {
      body.run();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  @FunctionalInterface
  private interface Attempt {
    long make();
  }
}
