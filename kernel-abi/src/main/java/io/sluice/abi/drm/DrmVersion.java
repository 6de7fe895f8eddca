package io.sluice.abi.drm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_version}: argument of DRM_IOCTL_VERSION. Holds addresses of this process.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  version_major       out
 *  0x04      4  version_minor       out
 *  0x08      4  version_patchlevel  out
 *  0x0c      4  pad_name            alignment of C
 *  0x10      8  name_len            in: room; out: length
 *  0x18      8  name                in: address
 *  0x20      8  date_len            in: room; out: length
 *  0x28      8  date                in: address
 *  0x30      8  desc_len            in: room; out: length
 *  0x38      8  desc                in: address
 * </pre>
 *
 * <p>64 bytes. Source: drm/drm.h, x86-64.
 */
public final class DrmVersion {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("version_major"),
              Layouts.U32.withName("version_minor"),
              Layouts.U32.withName("version_patchlevel"),
              Layouts.U32.withName("pad_name"),
              Layouts.U64.withName("name_len"),
              Layouts.U64.withName("name"),
              Layouts.U64.withName("date_len"),
              Layouts.U64.withName("date"),
              Layouts.U64.withName("desc_len"),
              Layouts.U64.withName("desc"))
          .withName("drm_version");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VERSION_MAJOR =
      LAYOUT.varHandle(PathElement.groupElement("version_major"));
  private static final VarHandle VERSION_MINOR =
      LAYOUT.varHandle(PathElement.groupElement("version_minor"));
  private static final VarHandle VERSION_PATCHLEVEL =
      LAYOUT.varHandle(PathElement.groupElement("version_patchlevel"));
  private static final VarHandle NAME_LEN = LAYOUT.varHandle(PathElement.groupElement("name_len"));
  private static final VarHandle NAME = LAYOUT.varHandle(PathElement.groupElement("name"));
  private static final VarHandle DATE_LEN = LAYOUT.varHandle(PathElement.groupElement("date_len"));
  private static final VarHandle DATE = LAYOUT.varHandle(PathElement.groupElement("date"));
  private static final VarHandle DESC_LEN = LAYOUT.varHandle(PathElement.groupElement("desc_len"));
  private static final VarHandle DESC = LAYOUT.varHandle(PathElement.groupElement("desc"));

  private DrmVersion() {}

  /** {@code version_major}, out. */
  public static int major(MemorySegment segment) {
    return (int) VERSION_MAJOR.get(segment, 0L);
  }

  /** Sets {@link #major}. */
  public static void major(MemorySegment segment, int value) {
    VERSION_MAJOR.set(segment, 0L, value);
  }

  /** {@code version_minor}, out. */
  public static int minor(MemorySegment segment) {
    return (int) VERSION_MINOR.get(segment, 0L);
  }

  /** Sets {@link #minor}. */
  public static void minor(MemorySegment segment, int value) {
    VERSION_MINOR.set(segment, 0L, value);
  }

  /** {@code version_patchlevel}, out. */
  public static int patchlevel(MemorySegment segment) {
    return (int) VERSION_PATCHLEVEL.get(segment, 0L);
  }

  /** Sets {@link #patchlevel}. */
  public static void patchlevel(MemorySegment segment, int value) {
    VERSION_PATCHLEVEL.set(segment, 0L, value);
  }

  /** {@code name_len}, in: room; out: length. */
  public static long nameLen(MemorySegment segment) {
    return (long) NAME_LEN.get(segment, 0L);
  }

  /** Sets {@link #nameLen}. */
  public static void nameLen(MemorySegment segment, long value) {
    NAME_LEN.set(segment, 0L, value);
  }

  /** {@code name}, in: address. */
  public static long name(MemorySegment segment) {
    return (long) NAME.get(segment, 0L);
  }

  /** Sets {@link #name}. */
  public static void name(MemorySegment segment, long value) {
    NAME.set(segment, 0L, value);
  }

  /** {@code date_len}, in: room; out: length. */
  public static long dateLen(MemorySegment segment) {
    return (long) DATE_LEN.get(segment, 0L);
  }

  /** Sets {@link #dateLen}. */
  public static void dateLen(MemorySegment segment, long value) {
    DATE_LEN.set(segment, 0L, value);
  }

  /** {@code date}, in: address. */
  public static long date(MemorySegment segment) {
    return (long) DATE.get(segment, 0L);
  }

  /** Sets {@link #date}. */
  public static void date(MemorySegment segment, long value) {
    DATE.set(segment, 0L, value);
  }

  /** {@code desc_len}, in: room; out: length. */
  public static long descLen(MemorySegment segment) {
    return (long) DESC_LEN.get(segment, 0L);
  }

  /** Sets {@link #descLen}. */
  public static void descLen(MemorySegment segment, long value) {
    DESC_LEN.set(segment, 0L, value);
  }

  /** {@code desc}, in: address. */
  public static long desc(MemorySegment segment) {
    return (long) DESC.get(segment, 0L);
  }

  /** Sets {@link #desc}. */
  public static void desc(MemorySegment segment, long value) {
    DESC.set(segment, 0L, value);
  }
}
