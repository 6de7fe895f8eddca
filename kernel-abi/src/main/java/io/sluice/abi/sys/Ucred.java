package io.sluice.abi.sys;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ucred}: who is at the other end of a socket.
 *
 * <p>12 bytes. Source: sys/socket.h.
 */
final class Ucred {
  private static final Struct S = Struct.aligned("ucred");
  static final S32 PID = S.s32("pid", "process");
  static final U32 UID = S.u32("uid", "user");
  static final U32 GID = S.u32("gid", "group");
  static final StructLayout LAYOUT = S.layout();
  static final long SIZE = LAYOUT.byteSize();

  private Ucred() {}
}
