package io.sluice.abi.relay;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * A device node, as HELLO tells it.
 *
 * <p>64 bytes. Source: docs/relay-protocol.md.
 */
public final class RelayNode {
  /** {@link #KIND}: takes RM's escapes. */
  public static final int RM = 1;

  /** {@link #KIND}: takes UVM's commands. */
  public static final int UVM = 2;

  private static final Struct S = Struct.aligned("relay_node");
  public static final Elements<U8> NAME = S.bytes("name", 48, "out: below /dev/, NUL-terminated");
  public static final U32 KIND = S.u32("kind", "out: what it takes");
  public static final U32 MAJOR = S.u32("major", "out: device number");
  public static final U32 MINOR = S.u32("minor", "out: device number");
  public static final U32 MODE = S.u32("mode", "out: type and permissions");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RelayNode() {}
}
