package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_header}: head of every message.
 *
 * <pre>
 * offset  size  field
 *  0x00      2  msg_id              chosen by who asks, echoed by who answers
 *  0x02      2  cmd                 VfioUserCommand
 *  0x04      4  msg_size            bytes of the message with this head
 *  0x08      4  flags               type and flags
 *  0x0c      4  error_no            of a reply with FLAG_ERROR: an errno
 * </pre>
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

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U16.withName("msg_id"),
              Layouts.WIRE_U16.withName("cmd"),
              Layouts.WIRE_U32.withName("msg_size"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("error_no"))
          .withName("vfio_user_header");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle MSG_ID = LAYOUT.varHandle(PathElement.groupElement("msg_id"));
  private static final VarHandle CMD = LAYOUT.varHandle(PathElement.groupElement("cmd"));
  private static final VarHandle MSG_SIZE = LAYOUT.varHandle(PathElement.groupElement("msg_size"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle ERROR_NO = LAYOUT.varHandle(PathElement.groupElement("error_no"));

  private VfioUserHeader() {}

  /** {@code msg_id}: chosen by who asks, echoed by who answers. */
  public static short msgId(MemorySegment segment, long offset) {
    return (short) MSG_ID.get(segment, offset);
  }

  /** Sets {@link #msgId}. */
  public static void msgId(MemorySegment segment, long offset, short value) {
    MSG_ID.set(segment, offset, value);
  }

  /** {@code cmd}: VfioUserCommand. */
  public static short cmd(MemorySegment segment, long offset) {
    return (short) CMD.get(segment, offset);
  }

  /** Sets {@link #cmd}. */
  public static void cmd(MemorySegment segment, long offset, short value) {
    CMD.set(segment, offset, value);
  }

  /** {@code msg_size}: bytes of the message with this head. */
  public static int msgSize(MemorySegment segment, long offset) {
    return (int) MSG_SIZE.get(segment, offset);
  }

  /** Sets {@link #msgSize}. */
  public static void msgSize(MemorySegment segment, long offset, int value) {
    MSG_SIZE.set(segment, offset, value);
  }

  /** {@code flags}: type and flags. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code error_no}: of a reply with FLAG_ERROR: an errno. */
  public static int errorNo(MemorySegment segment, long offset) {
    return (int) ERROR_NO.get(segment, offset);
  }

  /** Sets {@link #errorNo}. */
  public static void errorNo(MemorySegment segment, long offset, int value) {
    ERROR_NO.set(segment, offset, value);
  }
}
