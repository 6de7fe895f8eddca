package io.sluice.abi.sys;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct cmsghdr}: head of a control message; its data follows.
 *
 * <p>16 bytes. Source: sys/socket.h, x86-64.
 */
final class Cmsghdr {
  private static final Struct S = Struct.aligned("cmsghdr");
  static final U64 CMSG_LEN = S.u64("cmsg_len", "bytes with this head, without padding");
  static final S32 CMSG_LEVEL = S.s32("cmsg_level", "protocol");
  static final S32 CMSG_TYPE = S.s32("cmsg_type", "type in the protocol");
  static final StructLayout LAYOUT = S.layout();
  static final long SIZE = LAYOUT.byteSize();

  private Cmsghdr() {}
}
