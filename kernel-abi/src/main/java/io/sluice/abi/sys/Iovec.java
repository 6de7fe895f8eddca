package io.sluice.abi.sys;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct iovec}: one buffer of a vectored call.
 *
 * <p>16 bytes. Source: sys/uio.h.
 */
final class Iovec {
  private static final Struct S = Struct.aligned("iovec");
  static final U64 IOV_BASE = S.u64("iov_base", "address");
  static final U64 IOV_LEN = S.u64("iov_len", "bytes");
  static final StructLayout LAYOUT = S.layout();

  private Iovec() {}
}
