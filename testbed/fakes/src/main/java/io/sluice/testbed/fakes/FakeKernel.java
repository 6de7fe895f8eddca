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
import io.sluice.abi.sys.ThreadUse;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

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
  private final CallGate gate = new CallGate();
  private final DescriptorTable descriptors = new DescriptorTable(this::close);
  private final FakeFiles files = new FakeFiles(gate, descriptors);
  private final FakeEvents events = new FakeEvents(gate, descriptors);
  private final FakeSockets sockets = new FakeSockets(gate, descriptors);
  private LongSupplier processorNs = System::nanoTime; // guarded by the gate

  // ---- for the test ----

  /**
   * Makes a later call fail.
   *
   * @param call the method of {@link Kernel}
   * @param n 1 for the next call of it, 2 for the one after, …
   */
  public void fail(String call, int n, Errno errno) {
    gate.plan(call, n, errno);
  }

  /** Failures that were asked for and have not happened yet. */
  public List<String> outstandingFailures() {
    return gate.outstanding();
  }

  /** How often a method of {@link Kernel} was called. */
  public long count(String call) {
    return gate.count(call);
  }

  /** The open descriptors: number and what it is. */
  public Map<Integer, String> openFds() {
    return gate.locked(descriptors::names);
  }

  /** Mappings that were not closed. */
  public int mappings() {
    return files.mappings();
  }

  /** What peers of connections made from now on are told of the other end. */
  public void becomes(PeerCredentials credentials) {
    sockets.becomes(credentials);
  }

  /** A device node that can be opened. */
  public void device(Path path, DeviceDriver driver) {
    files.device(path, driver);
  }

  /** A file that is no memfd and cannot be sealed, on a file system of a type. */
  public Fd plainFile(String name, long sizeBytes, long fileSystemType) {
    return files.plainFile(name, sizeBytes, fileSystemType);
  }

  /** A memfd of pages of 2 MiB. */
  public Fd hugeFile(String name, long sizeBytes) {
    return files.hugeFile(name, sizeBytes);
  }

  /**
   * Changes a memfd's length, as another process that holds it may.
   *
   * @throws SyscallException EPERM when a seal forbids it
   */
  public void truncate(Fd fd, long sizeBytes) {
    files.truncate(fd, sizeBytes);
  }

  /** Has the host have as much memory left. */
  public void setAvailableBytes(long bytes) {
    files.setAvailableBytes(bytes);
  }

  private void close(int number) {
    gate.locked(() -> descriptors.remove(number));
  }

  // ---- files ----

  @Override
  public HostLimits hostLimits() {
    return files.hostLimits();
  }

  @Override
  public long availableBytes() {
    return files.availableBytes();
  }

  @Override
  public Fd memfdCreate(String name, long sizeBytes) {
    return files.memfdCreate(name, sizeBytes);
  }

  @Override
  public void addSeals(Fd fd, int seals) {
    files.addSeals(fd, seals);
  }

  @Override
  public int getSeals(Fd fd) {
    return files.getSeals(fd);
  }

  @Override
  public void punchHole(Fd fd, long offset, long lengthBytes) {
    files.punchHole(fd, offset, lengthBytes);
  }

  @Override
  public FileStatus fstat(Fd fd) {
    return files.fstat(fd);
  }

  @Override
  public long fileSystemType(Fd fd) {
    return files.fileSystemType(fd);
  }

  @Override
  public void setAccess(Path path, AccessList access) {
    files.setAccess(path, access);
  }

  @Override
  public void setDefaultAccess(Path directory, AccessList access) {
    files.setDefaultAccess(directory, access);
  }

  @Override
  public long pageBytes(Fd fd) {
    return files.pageBytes(fd);
  }

  @Override
  public Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    return files.mmap(fd, offset, lengthBytes, protection);
  }

  @Override
  public Mapping mmapPieces(List<FilePiece> pieces) {
    return files.mmapPieces(pieces);
  }

  @Override
  public Fd open(Path path, int flags) {
    return files.open(path, flags);
  }

  @Override
  public Fd dup(Fd fd) {
    return files.dup(fd);
  }

  @Override
  public Fd adopt(int number) {
    return files.adopt(number);
  }

  @Override
  public void setNonBlocking(Fd fd) {
    files.setNonBlocking(fd);
  }

  @Override
  public long read(Fd fd, MemorySegment into) {
    return files.read(fd, into);
  }

  @Override
  public long write(Fd fd, MemorySegment from) {
    return files.write(fd, from);
  }

  @Override
  public void pwrite(Fd fd, MemorySegment from, long offset) {
    files.pwrite(fd, from, offset);
  }

  @Override
  public boolean isMapped(long address) {
    return files.isMapped(address);
  }

  @Override
  public void populate(MemorySegment mapped) {
    files.populate(mapped);
  }

  @Override
  public int ioctl(Fd fd, long request, MemorySegment arg) {
    return files.ioctl(fd, request, arg);
  }

  // ---- events ----

  @Override
  public Fd eventfd(int initial, int flags) {
    return events.eventfd(initial, flags);
  }

  @Override
  public void signal(Fd eventfd) {
    events.signal(eventfd);
  }

  @Override
  public void signalForeign(Fd eventfd) {
    events.signalForeign(eventfd);
  }

  @Override
  public boolean canSignalForeign() {
    return events.canSignalForeign();
  }

  @Override
  public void wakeFutex(MemorySegment word) {
    events.wakeFutex(word);
  }

  @Override
  public boolean isEventfd(Fd fd) {
    return events.isEventfd(fd);
  }

  @Override
  public long drain(Fd eventfd) {
    return events.drain(eventfd);
  }

  @Override
  public int pollNs(List<Fd> fds, short[] events, short[] revents, long timeoutNs) {
    return this.events.pollNs(fds, events, revents, timeoutNs);
  }

  // ---- sockets ----

  @Override
  public List<Fd> socketpair() {
    return sockets.socketpair();
  }

  @Override
  public Fd listen(Path path, int backlog) {
    return sockets.listen(path, backlog);
  }

  @Override
  public Fd accept(Fd listener) {
    return sockets.accept(listener);
  }

  @Override
  public Fd connect(Path path) {
    return sockets.connect(path);
  }

  @Override
  public Fd connectDatagram(String address) {
    return sockets.connectDatagram(address);
  }

  @Override
  public void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    sockets.sendmsg(socket, data, fds);
  }

  @Override
  public long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    return sockets.recvmsg(socket, into, fds);
  }

  @Override
  public boolean isSocket(Fd fd) {
    return sockets.isSocket(fd);
  }

  @Override
  public PeerCredentials peerCredentials(Fd socket) {
    return sockets.peerCredentials(socket);
  }

  @Override
  public void setReceiveTimeout(Fd socket, int timeoutMs) {
    sockets.setReceiveTimeout(socket, timeoutMs);
  }

  @Override
  public void stopLingering(Fd fd) {
    sockets.stopLingering(fd);
  }

  @Override
  public void shutdown(Fd socket) {
    sockets.shutdown(socket);
  }

  // ---- threads ----

  /** What threads are told that they have had of processors. */
  public void processorTime(LongSupplier clock) {
    gate.locked(() -> processorNs = clock);
  }

  @Override
  public long processorTimeNs() {
    return gate.locked(() -> processorNs).getAsLong();
  }

  /** Nothing is known of threads that a fake kernel has none of. */
  @Override
  public ThreadUse threadUse() {
    return ThreadUse.NONE;
  }

  /** Nobody runs by a fake kernel. */
  @Override
  public void giveWay(int nice) {
    gate.run("giveWay", () -> {});
  }
}
