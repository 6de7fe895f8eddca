package io.sluice.abi.sys;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The socket calls of {@link RealKernel}. */
final class SocketCalls {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_LINGER = 13;
  private static final int SO_PEERCRED = 17;
  private static final int SO_RCVTIMEO = 20;
  private static final int SCM_RIGHTS = 1;
  private static final int SHUT_RDWR = 2;
  private static final int MSG_CTRUNC = 0x8;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;
  private static final int PATH_BYTES = 108;

  private static final List<Fd> NO_FDS = List.of();

  private SocketCalls() {}

  static List<Fd> socketpair() {
    MemorySegment pair = Scratch.current().word;
    Calls.check(
        Libc.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, pair),
        "socketpair",
        () -> "AF_UNIX, SOCK_STREAM");
    return List.of(Calls.own(pair.get(Layouts.U32, 0)), Calls.own(pair.get(Layouts.U32, 4)));
  }

  static Fd listen(Path path, int backlog) {
    return withAddress(
        path,
        "bind",
        (socket, address) -> {
          Calls.check(Libc.bind(socket.number(), address), "bind", () -> "path=" + path);
          Calls.check(
              Libc.listen(socket.number(), backlog),
              "listen",
              () -> "path=" + path + ", backlog=" + backlog);
        });
  }

  static Fd connect(Path path) {
    return withAddress(path, "connect", (socket, address) -> connect(socket, address, path));
  }

  static Fd connectDatagram(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    boolean isAbstract = bytes.length > 0 && bytes[0] == '@';
    if (isAbstract) {
      bytes[0] = 0;
    }
    // An abstract name is as long as the address says, zero bytes and all.
    long length = SockaddrUn.PATH.offset() + bytes.length + (isAbstract ? 0 : 1);
    return withAddress(
        bytes,
        name,
        SOCK_DGRAM,
        "connect",
        (socket, address) -> connect(socket, address.asSlice(0, length), name));
  }

  private static void connect(Fd socket, MemorySegment address, Object name) {
    int result;
    do {
      result = Libc.connect(socket.number(), address);
    } while (Calls.interrupted(result));
    Calls.check(result, "connect", () -> "path=" + name);
  }

  static Fd accept(Fd listener) {
    int result;
    do {
      result = Libc.accept4(listener.number(), SOCK_CLOEXEC);
    } while (Calls.interrupted(result));
    return Calls.own(Calls.check(result, "accept4", listener::toString));
  }

  static void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    requireBytes(data);
    if (fds.size() > Scratch.SCM_MAX_FD) {
      throw new IllegalArgumentException(
          "too many descriptors for one message, fds="
              + fds.size()
              + ", max="
              + Scratch.SCM_MAX_FD);
    }
    Scratch scratch = Scratch.current();
    long size = data.byteSize();
    long sent = 0;
    while (sent < size) {
      long result = sendOnce(scratch, socket, data, sent, sent == 0 ? fds : NO_FDS);
      if (result > 0) {
        sent += result;
      } else if (Calls.wouldBlock(result)) {
        waitForRoom(socket);
      } else if (!Calls.interrupted(result)) {
        throw new SyscallException(
            "sendmsg",
            socket + ", bytes=" + size + ", sent=" + sent + ", fds=" + fds.size(),
            (int) -result);
      }
    }
  }

  private static long sendOnce(
      Scratch scratch, Fd socket, MemorySegment data, long from, List<Fd> fds) {
    Iovec.IOV_BASE.set(scratch.iovec, data.address() + from);
    Iovec.IOV_LEN.set(scratch.iovec, data.byteSize() - from);
    int count = fds.size();
    if (count == 0) {
      Msghdr.MSG_CONTROL.set(scratch.msghdr, 0);
      Msghdr.MSG_CONTROLLEN.set(scratch.msghdr, 0);
    } else {
      Cmsghdr.CMSG_LEN.set(scratch.control, Cmsghdr.SIZE + 4L * count);
      Cmsghdr.CMSG_LEVEL.set(scratch.control, SOL_SOCKET);
      Cmsghdr.CMSG_TYPE.set(scratch.control, SCM_RIGHTS);
      for (int i = 0; i < count; i++) {
        scratch.control.set(Layouts.U32, Cmsghdr.SIZE + 4L * i, fds.get(i).number());
      }
      Msghdr.MSG_CONTROL.set(scratch.msghdr, scratch.control.address());
      Msghdr.MSG_CONTROLLEN.set(scratch.msghdr, align(Cmsghdr.SIZE + 4L * count));
    }
    return Libc.sendmsg(scratch, socket.number(), MSG_NOSIGNAL, data);
  }

  private static void waitForRoom(Fd socket) {
    EventCalls.poll(List.of(socket), new short[] {Kernel.POLLOUT}, new short[1], -1);
  }

  static long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    requireBytes(into);
    Scratch scratch = Scratch.current();
    Iovec.IOV_BASE.set(scratch.iovec, into.address());
    Iovec.IOV_LEN.set(scratch.iovec, into.byteSize());
    Msghdr.MSG_CONTROL.set(scratch.msghdr, scratch.control.address());
    long result;
    do {
      Msghdr.MSG_CONTROLLEN.set(scratch.msghdr, Scratch.CONTROL_BYTES);
      Msghdr.MSG_FLAGS.set(scratch.msghdr, 0);
      result = Libc.recvmsg(scratch, socket.number(), MSG_CMSG_CLOEXEC, into);
    } while (Calls.interrupted(result));
    if (result < 0) {
      if (Calls.wouldBlock(result)) {
        return -1;
      }
      throw new SyscallException("recvmsg", socket + ", bytes=" + into.byteSize(), (int) -result);
    }
    long controlLength = Msghdr.MSG_CONTROLLEN.get(scratch.msghdr);
    int came = controlLength == 0 ? 0 : takeFds(scratch, controlLength, fds);
    if (came > Kernel.MAX_MESSAGE_FDS
        || (Msghdr.MSG_FLAGS.bits(scratch.msghdr) & MSG_CTRUNC) != 0) {
      fds.closeAll();
      throw new SyscallException(
          "recvmsg",
          socket + ", more descriptors than max=" + Kernel.MAX_MESSAGE_FDS,
          Errno.EMSGSIZE.number());
    }
    return result;
  }

  /**
   * Takes the descriptors out of all control messages, of which there may be several.
   *
   * @return how many there were
   */
  private static int takeFds(Scratch scratch, long controlLength, FdList fds) {
    MemorySegment control = scratch.control;
    int before = fds.size();
    long offset = 0;
    while (offset + Cmsghdr.SIZE <= controlLength) {
      long length = Cmsghdr.CMSG_LEN.get(control, offset);
      if (length < Cmsghdr.SIZE || length > controlLength - offset) {
        throw new AssertionError("the kernel wrote a bad control message, length=" + length);
      }
      if (Cmsghdr.CMSG_LEVEL.get(control, offset) == SOL_SOCKET
          && Cmsghdr.CMSG_TYPE.get(control, offset) == SCM_RIGHTS) {
        for (long at = offset + Cmsghdr.SIZE; at + 4 <= offset + length; at += 4) {
          fds.add(Calls.own(control.get(Layouts.U32, at)));
        }
      }
      offset += align(length);
    }
    return fds.size() - before;
  }

  static boolean isSocket(Fd fd) {
    return Calls.link(fd).startsWith("socket:[");
  }

  static PeerCredentials peerCredentials(Fd socket) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ucred = arena.allocate(Ucred.LAYOUT);
      MemorySegment length = Scratch.current().word;
      length.set(Layouts.U32, 0, (int) Ucred.SIZE);
      Calls.check(
          Libc.getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, ucred, length),
          "getsockopt",
          () -> socket + ", SO_PEERCRED");
      return new PeerCredentials(
          Ucred.PID.get(ucred), Ucred.UID.bits(ucred), Ucred.GID.bits(ucred));
    }
  }

  /** {@code struct timeval}: seconds, microseconds. */
  static void setReceiveTimeout(Fd socket, int timeoutMs) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timeval = arena.allocate(2 * Long.BYTES, Long.BYTES);
      timeval.set(ValueLayout.JAVA_LONG, 0, timeoutMs / 1000);
      timeval.set(ValueLayout.JAVA_LONG, Long.BYTES, timeoutMs % 1000 * 1000L);
      Calls.check(
          Libc.setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, timeval),
          "setsockopt",
          () -> socket + ", SO_RCVTIMEO, ms=" + timeoutMs);
    }
  }

  /** {@code struct linger}: whether, and for how many seconds. */
  static void stopLingering(Fd fd) {
    MemorySegment linger = Scratch.current().word;
    linger.set(Layouts.U32, 0, 0);
    linger.set(Layouts.U32, 4, 0);
    int result = Libc.setsockopt(fd.number(), SOL_SOCKET, SO_LINGER, linger);
    if (result != -Errno.ENOTSOCK.number()) {
      Calls.check(result, "setsockopt", () -> fd + ", SO_LINGER");
    }
  }

  static void shutdown(Fd socket) {
    int result = Libc.shutdown(socket.number(), SHUT_RDWR);
    if (result != -Errno.ENOTCONN.number()) {
      Calls.check(result, "shutdown", () -> socket + ", SHUT_RDWR");
    }
  }

  /** A socket that the action has bound or connected; closed again when the action fails. */
  private static Fd withAddress(Path path, String call, AddressAction action) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    return withAddress(name, path, SOCK_STREAM, call, action);
  }

  private static Fd withAddress(
      byte[] name, Object path, int type, String call, AddressAction action) {
    if (name.length >= PATH_BYTES) {
      throw new SyscallException(
          call,
          "path=" + path + ", bytes=" + name.length + ", max=" + (PATH_BYTES - 1),
          Errno.ENAMETOOLONG.number());
    }
    Fd socket =
        Calls.own(
            Calls.check(
                Libc.socket(AF_UNIX, type | SOCK_CLOEXEC, 0),
                "socket",
                () -> "AF_UNIX, type=" + type));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(SockaddrUn.LAYOUT);
      SockaddrUn.SUN_FAMILY.set(address, AF_UNIX);
      MemorySegment.copy(
          MemorySegment.ofArray(name), 0, SockaddrUn.PATH.slice(address), 0, name.length);
      action.apply(socket, address);
      return socket;
    } catch (Throwable failure) {
      socket.close();
      throw failure;
    }
  }

  /** An empty receive would read as the end of the stream; an empty send would carry nothing. */
  private static void requireBytes(MemorySegment data) {
    if (data.byteSize() == 0) {
      throw new IllegalArgumentException("a message has at least one byte");
    }
  }

  private static long align(long bytes) {
    return (bytes + 7) & -8;
  }

  private interface AddressAction {
    void apply(Fd socket, MemorySegment address);
  }
}
