package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_header}: head of every message.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification, "Header".
 */
public final class VfioUserHeader {
  /** The bits of the flags that hold the type. */
  public static final int TYPE_MASK = 0xf;

  /** Type: a command. */
  public static final int TYPE_COMMAND = 0;

  /** Type: a reply. */
  public static final int TYPE_REPLY = 1;

  /** The command wants no reply. */
  public static final int FLAG_NO_REPLY = 0x10;

  /** The command failed; the reply has no body. */
  public static final int FLAG_ERROR = 0x20;

  private static final Struct S = Struct.packed("vfio_user_header");
  public static final U16 MSG_ID = S.u16("msg_id", "chosen by who asks, echoed by who answers");
  public static final U16 CMD = S.u16("cmd", "VfioUserCommand");
  public static final U32 MSG_SIZE = S.u32("msg_size", "bytes of the message with this head");
  public static final U32 FLAGS = S.u32("flags", "type and flags");
  public static final U32 ERROR_NO = S.u32("error_no", "of a reply with FLAG_ERROR: an errno");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private VfioUserHeader() {}
}
