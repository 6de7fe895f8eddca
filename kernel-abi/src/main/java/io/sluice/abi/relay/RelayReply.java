package io.sluice.abi.relay;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * The header of a reply.
 *
 * <p>32 bytes. Source: docs/relay-protocol.md.
 */
public final class RelayReply {
  private static final Struct S = Struct.aligned("relay_reply");
  public static final U32 BYTES = S.u32("bytes", "out: of the message, a multiple of 8");
  public static final U32 ERROR = S.u32("error", "out: 0 or an errno");
  public static final U32 FILE = S.u32("file", "out: the relay's number of a file");
  public static final U32 VALUE = S.u32("value", "out: what the call returns");
  public static final U64 ADDRESS = S.u64("address", "out: offset at which to map");
  public static final StructLayout LAYOUT = S.unused64("length", "out: 0").layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RelayReply() {}
}
