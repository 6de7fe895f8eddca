package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A peer that sends what no {@link Kernel#recvmsg} takes. */
final class RawSender {
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;

  private RawSender() {}

  /** One control message with any number of descriptors. */
  static void send(Fd socket, MemorySegment data, List<Fd> fds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment control = arena.allocate(space(fds.size()), 8);
      put(control, 0, fds);
      send(socket, data, control);
    }
  }

  /** Two control messages with a descriptor each. */
  static void sendInTwo(Fd socket, MemorySegment data, Fd one, Fd two) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment control = arena.allocate(2 * space(1), 8);
      put(control, 0, List.of(one));
      put(control, space(1), List.of(two));
      send(socket, data, control);
    }
  }

  private static void send(Fd socket, MemorySegment data, MemorySegment control) {
    Scratch scratch = Scratch.current();
    Iovec.IOV_BASE.set(scratch.iovec, data.address());
    Iovec.IOV_LEN.set(scratch.iovec, data.byteSize());
    Msghdr.MSG_CONTROL.set(scratch.msghdr, control.address());
    Msghdr.MSG_CONTROLLEN.set(scratch.msghdr, control.byteSize());
    assertThat(Libc.sendmsg(scratch, socket.number(), 0, data)).isEqualTo(data.byteSize());
  }

  private static void put(MemorySegment control, long at, List<Fd> fds) {
    Cmsghdr.CMSG_LEN.set(control, at, Cmsghdr.SIZE + 4L * fds.size());
    Cmsghdr.CMSG_LEVEL.set(control, at, SOL_SOCKET);
    Cmsghdr.CMSG_TYPE.set(control, at, SCM_RIGHTS);
    for (int i = 0; i < fds.size(); i++) {
      control.set(Layouts.U32, at + Cmsghdr.SIZE + 4L * i, fds.get(i).number());
    }
  }

  private static long space(int fds) {
    return (Cmsghdr.SIZE + 4L * fds + 7) & -8;
  }
}
