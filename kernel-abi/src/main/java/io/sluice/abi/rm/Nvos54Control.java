package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS54_PARAMETERS}: argument of RM_CONTROL.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hObject                   in: object
 * 0x08      4  cmd                       in: command
 * 0x0c      4  flags                     in: 0
 * 0x10      8  params                    in: address of the command's block, or 0
 * 0x18      4  paramsSize                in: bytes of it
 * 0x1c      4  status                    out
 * </pre>
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos54Control {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hObject"),
              Layouts.U32.withName("cmd"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("params"),
              Layouts.U32.withName("paramsSize"),
              Layouts.U32.withName("status"))
          .withName("NVOS54_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_OBJECT = LAYOUT.varHandle(PathElement.groupElement("hObject"));

  private static final VarHandle CMD = LAYOUT.varHandle(PathElement.groupElement("cmd"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle PARAMS = LAYOUT.varHandle(PathElement.groupElement("params"));

  private static final VarHandle PARAMS_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("paramsSize"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos54Control() {}

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

  /** {@code cmd}, in: command. */
  public static int cmd(MemorySegment segment) {
    return (int) CMD.get(segment, 0L);
  }

  /** Sets {@link #cmd}. */
  public static void cmd(MemorySegment segment, int value) {
    CMD.set(segment, 0L, value);
  }

  /** {@code flags}, in: 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code params}, in: address of the command's block, or 0. */
  public static long params(MemorySegment segment) {
    return (long) PARAMS.get(segment, 0L);
  }

  /** Sets {@link #params}. */
  public static void params(MemorySegment segment, long value) {
    PARAMS.set(segment, 0L, value);
  }

  /** {@code paramsSize}, in: bytes of it. */
  public static int paramsSize(MemorySegment segment) {
    return (int) PARAMS_SIZE.get(segment, 0L);
  }

  /** Sets {@link #paramsSize}. */
  public static void paramsSize(MemorySegment segment, int value) {
    PARAMS_SIZE.set(segment, 0L, value);
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
