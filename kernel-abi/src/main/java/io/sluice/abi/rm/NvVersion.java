package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_rm_api_version_t}: argument of CHECK_VERSION_STR.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  cmd                       in: STRICT, RELAXED or QUERY
 * 0x04      4  reply                     out: 1 when the driver has answered
 * 0x08     64  versionString[64]         in of STRICT; out: version, NUL-terminated
 * </pre>
 *
 * <p>72 bytes. Source: nv-ioctl.h.
 */
public final class NvVersion {
  /** {@link #cmd}: fails unless the caller names the driver's version. */
  public static final int STRICT = 0;

  /** {@link #cmd}: like STRICT, but for the last part. */
  public static final int RELAXED = '1';

  /** {@link #cmd}: asks the version. */
  public static final int QUERY = '2';

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cmd"),
              Layouts.U32.withName("reply"),
              MemoryLayout.sequenceLayout(64, Layouts.U8).withName("versionString"))
          .withName("nv_ioctl_rm_api_version_t");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CMD = LAYOUT.varHandle(PathElement.groupElement("cmd"));

  private static final VarHandle REPLY = LAYOUT.varHandle(PathElement.groupElement("reply"));

  private static final long VERSION_STRING_OFFSET =
      LAYOUT.byteOffset(PathElement.groupElement("versionString"));

  private NvVersion() {}

  /** {@code cmd}, in: STRICT, RELAXED or QUERY. */
  public static int cmd(MemorySegment segment) {
    return (int) CMD.get(segment, 0L);
  }

  /** Sets {@link #cmd}. */
  public static void cmd(MemorySegment segment, int value) {
    CMD.set(segment, 0L, value);
  }

  /** {@code reply}, out: 1 when the driver has answered. */
  public static int reply(MemorySegment segment) {
    return (int) REPLY.get(segment, 0L);
  }

  /** Sets {@link #reply}. */
  public static void reply(MemorySegment segment, int value) {
    REPLY.set(segment, 0L, value);
  }

  /** {@code versionString}, in of STRICT; out: version, NUL-terminated. */
  public static MemorySegment versionString(MemorySegment segment) {
    return segment.asSlice(VERSION_STRING_OFFSET, 64);
  }
}
