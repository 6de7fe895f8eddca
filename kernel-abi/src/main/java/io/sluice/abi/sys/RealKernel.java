package io.sluice.abi.sys;

import io.sluice.abi.AbiCode;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** The kernel this process runs on: x86-64 Linux, by way of the C library. Has no state. */
public final class RealKernel implements Kernel {
  private RealKernel() {}

  /**
   * The kernel of this process.
   *
   * @throws RefusedException SLU-SYS-002 on another platform, SLU-SYS-003 when this module may not
   *     call native code
   */
  public static RealKernel create() {
    requirePlatform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    Module module = RealKernel.class.getModule();
    if (!module.isNativeAccessEnabled()) {
      String name = module.isNamed() ? module.getName() : "ALL-UNNAMED";
      throw new RefusedException(
          AbiCode.NATIVE_ACCESS,
          Errno.EPERM,
          "native access is not enabled, module=" + name,
          "start Java with --enable-native-access=" + name);
    }
    boolean _ = AsyncSignal.isAvailable(); // opens what it needs now, not within some later call
    return new RealKernel();
  }

  static void requirePlatform(String system, String architecture) {
    if (!system.equals("Linux") || !architecture.equals("amd64")) {
      throw new RefusedException(
          AbiCode.PLATFORM,
          Errno.ENOSYS,
          "this platform is not supported, os=" + system + ", arch=" + architecture,
          "run on x86-64 Linux");
    }
  }

  @Override
  public HostLimits hostLimits() {
    return HostFacts.read();
  }

  @Override
  public long availableBytes() {
    return HostFacts.availableBytes();
  }

  @Override
  public Fd memfdCreate(String name, long sizeBytes) {
    return FileCalls.memfdCreate(name, sizeBytes);
  }

  @Override
  public void addSeals(Fd fd, int seals) {
    FileCalls.addSeals(fd, seals);
  }

  @Override
  public int getSeals(Fd fd) {
    return FileCalls.getSeals(fd);
  }

  @Override
  public void punchHole(Fd fd, long offset, long lengthBytes) {
    FileCalls.punchHole(fd, offset, lengthBytes);
  }

  @Override
  public FileStatus fstat(Fd fd) {
    return FileCalls.fstat(fd);
  }

  @Override
  public long fileSystemType(Fd fd) {
    return FileCalls.fileSystemType(fd);
  }

  @Override
  public void setAccess(Path path, AccessList access) {
    FileCalls.setAccess(path, "system.posix_acl_access", access);
  }

  @Override
  public void setDefaultAccess(Path directory, AccessList access) {
    FileCalls.setAccess(directory, "system.posix_acl_default", access);
  }

  @Override
  public long pageBytes(Fd fd) {
    return FileCalls.pageBytes(fd);
  }

  @Override
  public Mapping mmap(Fd fd, long offset, long lengthBytes, int protection) {
    return FileCalls.mmap(fd, offset, lengthBytes, protection);
  }

  @Override
  public Mapping mmapPieces(List<FilePiece> pieces) {
    return FileCalls.mmapPieces(pieces);
  }

  @Override
  public Fd open(Path path, int flags) {
    return FileCalls.open(path, flags);
  }

  @Override
  public Fd dup(Fd fd) {
    return FileCalls.dup(fd);
  }

  @Override
  public Fd adopt(int number) {
    return FileCalls.adopt(number);
  }

  @Override
  public void setNonBlocking(Fd fd) {
    FileCalls.setNonBlocking(fd);
  }

  @Override
  public long read(Fd fd, MemorySegment into) {
    return FileCalls.read(fd, into);
  }

  @Override
  public long write(Fd fd, MemorySegment from) {
    return FileCalls.write(fd, from);
  }

  @Override
  public void pwrite(Fd fd, MemorySegment from, long offset) {
    FileCalls.pwrite(fd, from, offset);
  }

  @Override
  public void populate(MemorySegment mapped) {
    FileCalls.populate(mapped);
  }

  @Override
  public boolean isMapped(long address) {
    return FileCalls.isMapped(address);
  }

  @Override
  public int ioctl(Fd fd, long request, MemorySegment arg) {
    return FileCalls.ioctl(fd, request, arg);
  }

  @Override
  public long processorTimeNs() {
    return ThreadCalls.processorTimeNs();
  }

  @Override
  public ThreadUse threadUse() {
    return ThreadCalls.threadUse();
  }

  @Override
  public void giveWay(int nice) {
    ThreadCalls.giveWay(nice);
  }

  @Override
  public Fd eventfd(int initial, int flags) {
    return EventCalls.eventfd(initial, flags);
  }

  @Override
  public void signalForeign(Fd eventfd) {
    AsyncSignal.signal(eventfd);
  }

  @Override
  public boolean canSignalForeign() {
    return AsyncSignal.isAvailable();
  }

  @Override
  public boolean isEventfd(Fd fd) {
    return EventCalls.isEventfd(fd);
  }

  @Override
  public void signal(Fd eventfd) {
    EventCalls.signal(eventfd);
  }

  @Override
  public long drain(Fd eventfd) {
    return EventCalls.drain(eventfd);
  }

  @Override
  public void wakeFutex(MemorySegment word) {
    EventCalls.wakeFutex(word);
  }

  @Override
  public int pollNs(List<Fd> fds, short[] events, short[] revents, long timeoutNs) {
    return EventCalls.poll(fds, events, revents, timeoutNs);
  }

  @Override
  public List<Fd> socketpair() {
    return SocketCalls.socketpair();
  }

  @Override
  public Fd listen(Path path, int backlog) {
    return SocketCalls.listen(path, backlog);
  }

  @Override
  public Fd accept(Fd listener) {
    return SocketCalls.accept(listener);
  }

  @Override
  public Fd connect(Path path) {
    return SocketCalls.connect(path);
  }

  @Override
  public Fd connectDatagram(String address) {
    return SocketCalls.connectDatagram(address);
  }

  @Override
  public void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    SocketCalls.sendmsg(socket, data, fds);
  }

  @Override
  public long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    return SocketCalls.recvmsg(socket, into, fds);
  }

  @Override
  public boolean isSocket(Fd fd) {
    return SocketCalls.isSocket(fd);
  }

  @Override
  public PeerCredentials peerCredentials(Fd socket) {
    return SocketCalls.peerCredentials(socket);
  }

  @Override
  public void setReceiveTimeout(Fd socket, int timeoutMs) {
    SocketCalls.setReceiveTimeout(socket, timeoutMs);
  }

  @Override
  public void stopLingering(Fd fd) {
    SocketCalls.stopLingering(fd);
  }

  @Override
  public void shutdown(Fd socket) {
    SocketCalls.shutdown(socket);
  }
}
