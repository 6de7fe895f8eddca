package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS55_PARAMETERS}: argument of RM_DUP_OBJECT.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client that receives
 * 0x04      4  hParent                   in: parent there
 * 0x08      4  hObject                   in: handle there
 * 0x0c      4  hClientSrc                in: client that has it
 * 0x10      4  hObjectSrc                in: handle there
 * 0x14      4  flags                     in
 * 0x18      4  status                    out
 * </pre>
 *
 * <p>28 bytes. Source: nvos.h.
 */
public final class Nvos55DupObject {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hParent"),
              Layouts.U32.withName("hObject"),
              Layouts.U32.withName("hClientSrc"),
              Layouts.U32.withName("hObjectSrc"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("status"))
          .withName("NVOS55_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_PARENT = LAYOUT.varHandle(PathElement.groupElement("hParent"));

  private static final VarHandle H_OBJECT = LAYOUT.varHandle(PathElement.groupElement("hObject"));

  private static final VarHandle H_CLIENT_SRC =
      LAYOUT.varHandle(PathElement.groupElement("hClientSrc"));

  private static final VarHandle H_OBJECT_SRC =
      LAYOUT.varHandle(PathElement.groupElement("hObjectSrc"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos55DupObject() {}

  /** {@code hClient}, in: client that receives. */
  public static int hClient(MemorySegment segment) {
    return (int) H_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int value) {
    H_CLIENT.set(segment, 0L, value);
  }

  /** {@code hParent}, in: parent there. */
  public static int hParent(MemorySegment segment) {
    return (int) H_PARENT.get(segment, 0L);
  }

  /** Sets {@link #hParent}. */
  public static void hParent(MemorySegment segment, int value) {
    H_PARENT.set(segment, 0L, value);
  }

  /** {@code hObject}, in: handle there. */
  public static int hObject(MemorySegment segment) {
    return (int) H_OBJECT.get(segment, 0L);
  }

  /** Sets {@link #hObject}. */
  public static void hObject(MemorySegment segment, int value) {
    H_OBJECT.set(segment, 0L, value);
  }

  /** {@code hClientSrc}, in: client that has it. */
  public static int hClientSrc(MemorySegment segment) {
    return (int) H_CLIENT_SRC.get(segment, 0L);
  }

  /** Sets {@link #hClientSrc}. */
  public static void hClientSrc(MemorySegment segment, int value) {
    H_CLIENT_SRC.set(segment, 0L, value);
  }

  /** {@code hObjectSrc}, in: handle there. */
  public static int hObjectSrc(MemorySegment segment) {
    return (int) H_OBJECT_SRC.get(segment, 0L);
  }

  /** Sets {@link #hObjectSrc}. */
  public static void hObjectSrc(MemorySegment segment, int value) {
    H_OBJECT_SRC.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
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
