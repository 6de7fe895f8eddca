package io.sluice.abi.relay;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * The place of something in a call, as HELLO tells it.
 *
 * <p>24 bytes. Source: docs/relay-protocol.md.
 */
public final class RelayShape {
  /** {@link #KIND}: an argument of UVM's. */
  public static final int UVM = 1;

  /** {@link #KIND}: the block of a class. */
  public static final int CLASS = 2;

  /** {@link #KIND}: a list that the block of a control points to. */
  public static final int NESTED = 3;

  /** {@link #KIND}: a descriptor in the argument of an escape. */
  public static final int FD_RM = 4;

  /** {@link #KIND}: a descriptor in the block of a class. */
  public static final int FD_CLASS = 5;

  /** {@link #KIND}: a descriptor in an argument of UVM's. */
  public static final int FD_UVM = 6;

  private static final Struct S = Struct.aligned("relay_shape");
  public static final U32 KIND = S.u32("kind", "out: of what");
  public static final U32 KEY = S.u32("key", "out: command, class or escape");
  public static final U32 BYTES = S.u32("bytes", "out: of the block");
  public static final U32 OFFSET = S.u32("offset", "out: of the descriptor or pointer");
  public static final U32 COUNT = S.u32("count", "out: offset of the number of elements");
  public static final U32 ELEMENT = S.u32("element", "out: bytes of an element");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RelayShape() {}
}
