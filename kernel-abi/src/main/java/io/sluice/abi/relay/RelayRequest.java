package io.sluice.abi.relay;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * The header of a request.
 *
 * <p>32 bytes. Source: docs/relay-protocol.md.
 */
public final class RelayRequest {
  /** {@link #OP}: the first request of all. */
  public static final int HELLO = 1;

  /** {@link #OP}: opens a node. */
  public static final int OPEN = 2;

  /** {@link #OP}: closes a file. */
  public static final int CLOSE = 3;

  /** {@link #OP}: an ioctl. */
  public static final int IOCTL = 4;

  /** {@link #OP}: asks what to map for a file. */
  public static final int MAP = 5;

  /** {@link #OP} of a program in a machine: a segment that was wanted is there, or not. */
  public static final int MEMORY = 6;

  /** {@link #OP} of a program in a machine: memory that it will have pinned. */
  public static final int RESERVE = 7;

  /** {@link #OP} of a program in a machine: gives it back. */
  public static final int RELEASE = 8;

  /** {@link #OP} of a process: the way by which the relay gives it another doorbell. */
  public static final int WATCH = 9;

  /** {@link #ARGUMENT} of a HELLO. */
  public static final int VERSION = 1;

  /** Most bytes of a message. */
  public static final int MAX_BYTES = 1 << 16;

  private static final Struct S = Struct.aligned("relay_request");
  public static final U32 BYTES = S.u32("bytes", "in: of the message, a multiple of 8");
  public static final U32 OP = S.u32("op", "in: what is asked");
  public static final U32 FILE = S.u32("file", "in: the relay's number of a file");
  public static final U32 ARGUMENT = S.u32("argument", "in: request word, protection or version");
  public static final U64 ADDRESS = S.u64("address", "in: of the program, or in the memory file");
  public static final U64 LENGTH =
      S.u64("length", "in: blocks, in a machine with a segment, or bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RelayRequest() {}
}
