package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct msghdr}: what sendmsg and recvmsg are given.
 *
 * <p>56 bytes. Source: sys/socket.h, x86-64.
 */
final class Msghdr {
  private static final Struct S = Struct.aligned("msghdr");
  static final U64 MSG_IOV =
      S.unused64("msg_name", "peer address; 0")
          .unused32("msg_namelen", "bytes of it")
          .u64("msg_iov", "address of the buffers");
  static final U64 MSG_IOVLEN = S.u64("msg_iovlen", "number of buffers");
  static final U64 MSG_CONTROL = S.u64("msg_control", "address of the control messages");
  static final U64 MSG_CONTROLLEN = S.u64("msg_controllen", "bytes of them");
  static final U32 MSG_FLAGS = S.u32("msg_flags", "out: MSG_CTRUNC and others");
  static final StructLayout LAYOUT = S.layout();

  private Msghdr() {}
}
