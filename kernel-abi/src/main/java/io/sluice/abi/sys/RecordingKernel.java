package io.sluice.abi.sys;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Passes every call on to another kernel and keeps the last ones: name, arguments, result or errno.
 * Thread-safe. It shows what was asked of the kernel; the bytes that moved are not kept.
 */
public final class RecordingKernel implements Kernel {
  private final Kernel kernel;
  private final int capacity;
  private final ArrayDeque<Call> calls = new ArrayDeque<>(); // guarded by itself
  private long total; // guarded by calls

  /**
   * @param kernel does the work
   * @param capacity most calls that are kept; the oldest go first
   */
  public RecordingKernel(Kernel kernel, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("room for at least one call, capacity=" + capacity);
    }
    this.kernel = kernel;
    this.capacity = capacity;
  }

  /**
   * One call.
   *
   * @param name the method of {@link Kernel}
   * @param arguments its arguments as {@code name=value, …}
   * @param outcome the result, the errno's name, or the exception of a caller's mistake
   */
  public record Call(String name, String arguments, String outcome) {
    @Override
    public String toString() {
      return name + "(" + arguments + ") = " + outcome;
    }
  }

  /** The calls kept, oldest first. */
  public List<Call> calls() {
    synchronized (calls) {
      return List.copyOf(calls);
    }
  }

  /** The names of the calls kept, oldest first. */
  public List<String> names() {
    return calls().stream().map(Call::name).toList();
  }

  /** All calls since the start or the last {@link #clear}, also those no longer kept. */
  public long total() {
    synchronized (calls) {
      return total;
    }
  }

  /** Forgets everything. */
  public void clear() {
    synchronized (calls) {
      calls.clear();
      total = 0;
    }
  }

  @Override
  public Fd memfdCreate(String name, long sizeBytes) {
    return call(
        "memfdCreate",
        "name=" + name + ", size=" + sizeBytes,
        () -> kernel.memfdCreate(name, sizeBytes));
  }

  @Override
  public void addSeals(Fd fd, int seals) {
    run("addSeals", fd + ", seals=" + seals, () -> kernel.addSeals(fd, seals));
  }

  @Override
  public int getSeals(Fd fd) {
    return call("getSeals", fd.toString(), () -> kernel.getSeals(fd));
  }

  @Override
  public void punchHole(Fd fd, long offset, long lengthBytes) {
    run(
        "punchHole",
        fd + ", offset=" + offset + ", length=" + lengthBytes,
        () -> kernel.punchHole(fd, offset, lengthBytes));
  }

  @Override
  public FileStatus fstat(Fd fd) {
    return call("fstat", fd.toString(), () -> kernel.fstat(fd));
  }

  @Override
  public long fileSystemType(Fd fd) {
    return call("fileSystemType", fd.toString(), () -> kernel.fileSystemType(fd));
  }

  @Override
  public Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    return call(
        "mmap",
        fd + ", offset=" + offset + ", length=" + lengthBytes + ", protection=" + protection,
        () -> kernel.mmap(fd, offset, lengthBytes, protection));
  }

  @Override
  public Fd open(Path path, int flags) {
    return call("open", "path=" + path + ", flags=" + flags, () -> kernel.open(path, flags));
  }

  @Override
  public Fd dup(Fd fd) {
    return call("dup", fd.toString(), () -> kernel.dup(fd));
  }

  @Override
  public Fd adopt(int number) {
    return call("adopt", "number=" + number, () -> kernel.adopt(number));
  }

  @Override
  public void setNonBlocking(Fd fd) {
    run("setNonBlocking", fd.toString(), () -> kernel.setNonBlocking(fd));
  }

  @Override
  public long read(Fd fd, MemorySegment into) {
    return call("read", fd + ", bytes=" + into.byteSize(), () -> kernel.read(fd, into));
  }

  @Override
  public long write(Fd fd, MemorySegment from) {
    return call("write", fd + ", bytes=" + from.byteSize(), () -> kernel.write(fd, from));
  }

  @Override
  public void pwrite(Fd fd, MemorySegment from, long offset) {
    run(
        "pwrite",
        fd + ", bytes=" + from.byteSize() + ", offset=0x" + Long.toHexString(offset),
        () -> kernel.pwrite(fd, from, offset));
  }

  @Override
  public void populate(MemorySegment mapped) {
    run("populate", "bytes=" + mapped.byteSize(), () -> kernel.populate(mapped));
  }

  @Override
  public int ioctl(Fd fd, long request, MemorySegment arg) {
    return call(
        "ioctl",
        fd + ", request=0x" + Long.toHexString(request),
        () -> kernel.ioctl(fd, request, arg));
  }

  @Override
  public Fd eventfd(int initial, int flags) {
    return call(
        "eventfd", "initial=" + initial + ", flags=" + flags, () -> kernel.eventfd(initial, flags));
  }

  @Override
  public void signal(Fd eventfd) {
    run("signal", eventfd.toString(), () -> kernel.signal(eventfd));
  }

  @Override
  public void signalForeign(Fd eventfd) {
    run("signalForeign", eventfd.toString(), () -> kernel.signalForeign(eventfd));
  }

  @Override
  public boolean canSignalForeign() {
    return kernel.canSignalForeign();
  }

  @Override
  public boolean isEventfd(Fd fd) {
    return call("isEventfd", fd.toString(), () -> kernel.isEventfd(fd));
  }

  @Override
  public long drain(Fd eventfd) {
    return call("drain", eventfd.toString(), () -> kernel.drain(eventfd));
  }

  @Override
  public int poll(List<Fd> fds, short[] events, short[] revents, int timeoutMs) {
    return call(
        "poll",
        fds + ", timeoutMs=" + timeoutMs,
        () -> kernel.poll(fds, events, revents, timeoutMs));
  }

  @Override
  public List<Fd> socketpair() {
    return call("socketpair", "", kernel::socketpair);
  }

  @Override
  public Fd listen(Path path, int backlog) {
    return call(
        "listen", "path=" + path + ", backlog=" + backlog, () -> kernel.listen(path, backlog));
  }

  @Override
  public Fd accept(Fd listener) {
    return call("accept", listener.toString(), () -> kernel.accept(listener));
  }

  @Override
  public Fd connect(Path path) {
    return call("connect", "path=" + path, () -> kernel.connect(path));
  }

  @Override
  public Fd connectDatagram(String address) {
    return call("connectDatagram", "address=" + address, () -> kernel.connectDatagram(address));
  }

  @Override
  public void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    run(
        "sendmsg",
        socket + ", bytes=" + data.byteSize() + ", fds=" + fds.size(),
        () -> kernel.sendmsg(socket, data, fds));
  }

  @Override
  public long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    return call(
        "recvmsg", socket + ", bytes=" + into.byteSize(), () -> kernel.recvmsg(socket, into, fds));
  }

  @Override
  public PeerCredentials peerCredentials(Fd socket) {
    return call("peerCredentials", socket.toString(), () -> kernel.peerCredentials(socket));
  }

  @Override
  public void setReceiveTimeout(Fd socket, int timeoutMs) {
    run(
        "setsockopt",
        socket + ", SO_RCVTIMEO, ms=" + timeoutMs,
        () -> kernel.setReceiveTimeout(socket, timeoutMs));
  }

  @Override
  public void shutdown(Fd socket) {
    run("shutdown", socket.toString(), () -> kernel.shutdown(socket));
  }

  private void run(String name, String arguments, Runnable body) {
    call(
        name,
        arguments,
        () -> {
          body.run();
          return "done";
        });
  }

  private <T> T call(String name, String arguments, Supplier<T> body) {
    try {
      T result = body.get();
      keep(new Call(name, arguments, result.toString()));
      return result;
    } catch (SyscallException failure) {
      keep(new Call(name, arguments, Errno.nameOf(failure.errno())));
      throw failure;
    } catch (RuntimeException mistake) {
      keep(new Call(name, arguments, mistake.toString()));
      throw mistake;
    }
  }

  private void keep(Call call) {
    synchronized (calls) {
      total++;
      if (calls.size() == capacity) {
        calls.removeFirst();
      }
      calls.addLast(call);
    }
  }
}
