package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS57_PARAMETERS}: argument of RM_SHARE.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hObject                   in: object
 * 0x08      4  target                    in: whom, by the type; 0
 * 0x0c      4  accessMask                in: rights
 * 0x10      2  type                      in: kind of the target
 * 0x12      1  action                    in
 * 0x14      4  status                    out
 * </pre>
 *
 * <p>24 bytes. Source: nvos.h, rs_access.h.
 */
public final class Nvos57Share {
  /** {@link #accessMask}: may duplicate. */
  public static final int ACCESS_DUP_OBJECT = 1;

  /** {@link #type}: whoever has the same user id. */
  public static final short TYPE_OS_SECURITY_TOKEN = 2;

  /** {@link #action}: adds to what was shared before. */
  public static final byte ACTION_COMPOSE = 4;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hObject"),
              Layouts.U32.withName("target"),
              Layouts.U32.withName("accessMask"),
              Layouts.U16.withName("type"),
              Layouts.U8.withName("action"),
              MemoryLayout.paddingLayout(1).withName("pad0"),
              Layouts.U32.withName("status"))
          .withName("NVOS57_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_OBJECT = LAYOUT.varHandle(PathElement.groupElement("hObject"));

  private static final VarHandle TARGET = LAYOUT.varHandle(PathElement.groupElement("target"));

  private static final VarHandle ACCESS_MASK =
      LAYOUT.varHandle(PathElement.groupElement("accessMask"));

  private static final VarHandle TYPE = LAYOUT.varHandle(PathElement.groupElement("type"));

  private static final VarHandle ACTION = LAYOUT.varHandle(PathElement.groupElement("action"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos57Share() {}

  /** {@code hClient}, in: client. */
  public static int hClient(MemorySegment segment) {
    return (int) H_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int value) {
    H_CLIENT.set(segment, 0L, value);
  }

  /** {@code hObject}, in: object. */
  public static int hObject(MemorySegment segment) {
    return (int) H_OBJECT.get(segment, 0L);
  }

  /** Sets {@link #hObject}. */
  public static void hObject(MemorySegment segment, int value) {
    H_OBJECT.set(segment, 0L, value);
  }

  /** {@code target}, in: whom, by the type; 0. */
  public static int target(MemorySegment segment) {
    return (int) TARGET.get(segment, 0L);
  }

  /** Sets {@link #target}. */
  public static void target(MemorySegment segment, int value) {
    TARGET.set(segment, 0L, value);
  }

  /** {@code accessMask}, in: rights. */
  public static int accessMask(MemorySegment segment) {
    return (int) ACCESS_MASK.get(segment, 0L);
  }

  /** Sets {@link #accessMask}. */
  public static void accessMask(MemorySegment segment, int value) {
    ACCESS_MASK.set(segment, 0L, value);
  }

  /** {@code type}, in: kind of the target. */
  public static short type(MemorySegment segment) {
    return (short) TYPE.get(segment, 0L);
  }

  /** Sets {@link #type}. */
  public static void type(MemorySegment segment, short value) {
    TYPE.set(segment, 0L, value);
  }

  /** {@code action}, in. */
  public static byte action(MemorySegment segment) {
    return (byte) ACTION.get(segment, 0L);
  }

  /** Sets {@link #action}. */
  public static void action(MemorySegment segment, byte value) {
    ACTION.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }
}
