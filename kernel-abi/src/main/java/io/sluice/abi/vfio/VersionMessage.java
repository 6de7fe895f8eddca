package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_version}: body of VERSION; NUL-terminated JSON follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      2  major               incompatible changes
 *  0x02      2  minor               additions
 * </pre>
 *
 * <p>4 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_VERSION".
 */
public final class VersionMessage {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U16.withName("major"), Layouts.WIRE_U16.withName("minor"))
          .withName("vfio_user_version");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle MAJOR = LAYOUT.varHandle(PathElement.groupElement("major"));
  private static final VarHandle MINOR = LAYOUT.varHandle(PathElement.groupElement("minor"));

  private VersionMessage() {}

  /** {@code major}: incompatible changes. */
  public static short major(MemorySegment segment, long offset) {
    return (short) MAJOR.get(segment, offset);
  }

  /** Sets {@link #major}. */
  public static void major(MemorySegment segment, long offset, short value) {
    MAJOR.set(segment, offset, value);
  }

  /** {@code minor}: additions. */
  public static short minor(MemorySegment segment, long offset) {
    return (short) MINOR.get(segment, offset);
  }

  /** Sets {@link #minor}. */
  public static void minor(MemorySegment segment, long offset, short value) {
    MINOR.set(segment, offset, value);
  }
}
