package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct msghdr}: what sendmsg and recvmsg are given.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  msg_name            peer address; 0
 *  0x08      4  msg_namelen         bytes of it
 *  0x0c      4  pad0
 *  0x10      8  msg_iov             address of the buffers
 *  0x18      8  msg_iovlen          number of buffers
 *  0x20      8  msg_control         address of the control messages
 *  0x28      8  msg_controllen      bytes of them
 *  0x30      4  msg_flags           out: MSG_CTRUNC and others
 *  0x34      4  pad1
 * </pre>
 *
 * <p>56 bytes. Source: sys/socket.h, x86-64.
 */
final class Msghdr {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("msg_name"),
              Layouts.U32.withName("msg_namelen"),
              Layouts.U32.withName("pad0"),
              Layouts.U64.withName("msg_iov"),
              Layouts.U64.withName("msg_iovlen"),
              Layouts.U64.withName("msg_control"),
              Layouts.U64.withName("msg_controllen"),
              Layouts.U32.withName("msg_flags"),
              Layouts.U32.withName("pad1"))
          .withName("msghdr");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle MSG_NAME = LAYOUT.varHandle(PathElement.groupElement("msg_name"));
  private static final VarHandle MSG_NAMELEN =
      LAYOUT.varHandle(PathElement.groupElement("msg_namelen"));
  private static final VarHandle MSG_IOV = LAYOUT.varHandle(PathElement.groupElement("msg_iov"));
  private static final VarHandle MSG_IOVLEN =
      LAYOUT.varHandle(PathElement.groupElement("msg_iovlen"));
  private static final VarHandle MSG_CONTROL =
      LAYOUT.varHandle(PathElement.groupElement("msg_control"));
  private static final VarHandle MSG_CONTROLLEN =
      LAYOUT.varHandle(PathElement.groupElement("msg_controllen"));
  private static final VarHandle MSG_FLAGS =
      LAYOUT.varHandle(PathElement.groupElement("msg_flags"));

  private Msghdr() {}

  /** {@code msg_name}: peer address; 0. */
  static long name(MemorySegment segment) {
    return (long) MSG_NAME.get(segment, 0L);
  }

  /** Sets {@link #name}. */
  static void name(MemorySegment segment, long value) {
    MSG_NAME.set(segment, 0L, value);
  }

  /** {@code msg_namelen}: bytes of it. */
  static int nameLength(MemorySegment segment) {
    return (int) MSG_NAMELEN.get(segment, 0L);
  }

  /** Sets {@link #nameLength}. */
  static void nameLength(MemorySegment segment, int value) {
    MSG_NAMELEN.set(segment, 0L, value);
  }

  /** {@code msg_iov}: address of the buffers. */
  static long iov(MemorySegment segment) {
    return (long) MSG_IOV.get(segment, 0L);
  }

  /** Sets {@link #iov}. */
  static void iov(MemorySegment segment, long value) {
    MSG_IOV.set(segment, 0L, value);
  }

  /** {@code msg_iovlen}: number of buffers. */
  static long iovLength(MemorySegment segment) {
    return (long) MSG_IOVLEN.get(segment, 0L);
  }

  /** Sets {@link #iovLength}. */
  static void iovLength(MemorySegment segment, long value) {
    MSG_IOVLEN.set(segment, 0L, value);
  }

  /** {@code msg_control}: address of the control messages. */
  static long control(MemorySegment segment) {
    return (long) MSG_CONTROL.get(segment, 0L);
  }

  /** Sets {@link #control}. */
  static void control(MemorySegment segment, long value) {
    MSG_CONTROL.set(segment, 0L, value);
  }

  /** {@code msg_controllen}: bytes of them. */
  static long controlLength(MemorySegment segment) {
    return (long) MSG_CONTROLLEN.get(segment, 0L);
  }

  /** Sets {@link #controlLength}. */
  static void controlLength(MemorySegment segment, long value) {
    MSG_CONTROLLEN.set(segment, 0L, value);
  }

  /** {@code msg_flags}, out: MSG_CTRUNC and others. */
  static int flags(MemorySegment segment) {
    return (int) MSG_FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  static void flags(MemorySegment segment, int value) {
    MSG_FLAGS.set(segment, 0L, value);
  }
}
