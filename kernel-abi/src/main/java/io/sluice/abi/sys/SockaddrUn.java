package io.sluice.abi.sys;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sockaddr_un}: address of a UNIX socket.
 *
 * <p>110 bytes. Source: sys/un.h.
 */
final class SockaddrUn {
  private static final Struct S = Struct.aligned("sockaddr_un");
  static final U16 SUN_FAMILY = S.u16("sun_family", "AF_UNIX");
  static final Elements<U8> PATH = S.bytes("sun_path", 108, "path, ends with a zero byte");
  static final StructLayout LAYOUT = S.layout();

  private SockaddrUn() {}
}
