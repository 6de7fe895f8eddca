package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV0080_ALLOC_PARAMETERS}: block of NV01_DEVICE_0.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  deviceId                  in: device instance
 * 0x04      4  hClientShare              in: client
 * 0x08      4  hTargetClient             in: 0
 * 0x0c      4  hTargetDevice             in: 0
 * 0x10      4  flags                     in: 0
 * 0x18      8  vaSpaceSize               in: 0
 * 0x20      8  vaStartInternal           in: 0
 * 0x28      8  vaLimitInternal           in: 0
 * 0x30      4  vaMode                    in
 * </pre>
 *
 * <p>56 bytes. Source: alloc/alloc_channel.h, cl0080.h.
 */
public final class Nv0080Alloc {
  /** {@link #vaMode}: address spaces are made one by one, none with the device. */
  public static final int VA_MODE_MULTIPLE_VASPACES = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("deviceId"),
              Layouts.U32.withName("hClientShare"),
              Layouts.U32.withName("hTargetClient"),
              Layouts.U32.withName("hTargetDevice"),
              Layouts.U32.withName("flags"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("vaSpaceSize"),
              Layouts.U64.withName("vaStartInternal"),
              Layouts.U64.withName("vaLimitInternal"),
              Layouts.U32.withName("vaMode"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("NV0080_ALLOC_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle DEVICE_ID = LAYOUT.varHandle(PathElement.groupElement("deviceId"));

  private static final VarHandle H_CLIENT_SHARE =
      LAYOUT.varHandle(PathElement.groupElement("hClientShare"));

  private static final VarHandle H_TARGET_CLIENT =
      LAYOUT.varHandle(PathElement.groupElement("hTargetClient"));

  private static final VarHandle H_TARGET_DEVICE =
      LAYOUT.varHandle(PathElement.groupElement("hTargetDevice"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle VA_SPACE_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("vaSpaceSize"));

  private static final VarHandle VA_START_INTERNAL =
      LAYOUT.varHandle(PathElement.groupElement("vaStartInternal"));

  private static final VarHandle VA_LIMIT_INTERNAL =
      LAYOUT.varHandle(PathElement.groupElement("vaLimitInternal"));

  private static final VarHandle VA_MODE = LAYOUT.varHandle(PathElement.groupElement("vaMode"));

  private Nv0080Alloc() {}

  /** {@code deviceId}, in: device instance. */
  public static int deviceId(MemorySegment segment) {
    return (int) DEVICE_ID.get(segment, 0L);
  }

  /** Sets {@link #deviceId}. */
  public static void deviceId(MemorySegment segment, int value) {
    DEVICE_ID.set(segment, 0L, value);
  }

  /** {@code hClientShare}, in: client. */
  public static int hClientShare(MemorySegment segment) {
    return (int) H_CLIENT_SHARE.get(segment, 0L);
  }

  /** Sets {@link #hClientShare}. */
  public static void hClientShare(MemorySegment segment, int value) {
    H_CLIENT_SHARE.set(segment, 0L, value);
  }

  /** {@code hTargetClient}, in: 0. */
  public static int hTargetClient(MemorySegment segment) {
    return (int) H_TARGET_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hTargetClient}. */
  public static void hTargetClient(MemorySegment segment, int value) {
    H_TARGET_CLIENT.set(segment, 0L, value);
  }

  /** {@code hTargetDevice}, in: 0. */
  public static int hTargetDevice(MemorySegment segment) {
    return (int) H_TARGET_DEVICE.get(segment, 0L);
  }

  /** Sets {@link #hTargetDevice}. */
  public static void hTargetDevice(MemorySegment segment, int value) {
    H_TARGET_DEVICE.set(segment, 0L, value);
  }

  /** {@code flags}, in: 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code vaSpaceSize}, in: 0. */
  public static long vaSpaceSize(MemorySegment segment) {
    return (long) VA_SPACE_SIZE.get(segment, 0L);
  }

  /** Sets {@link #vaSpaceSize}. */
  public static void vaSpaceSize(MemorySegment segment, long value) {
    VA_SPACE_SIZE.set(segment, 0L, value);
  }

  /** {@code vaStartInternal}, in: 0. */
  public static long vaStartInternal(MemorySegment segment) {
    return (long) VA_START_INTERNAL.get(segment, 0L);
  }

  /** Sets {@link #vaStartInternal}. */
  public static void vaStartInternal(MemorySegment segment, long value) {
    VA_START_INTERNAL.set(segment, 0L, value);
  }

  /** {@code vaLimitInternal}, in: 0. */
  public static long vaLimitInternal(MemorySegment segment) {
    return (long) VA_LIMIT_INTERNAL.get(segment, 0L);
  }

  /** Sets {@link #vaLimitInternal}. */
  public static void vaLimitInternal(MemorySegment segment, long value) {
    VA_LIMIT_INTERNAL.set(segment, 0L, value);
  }

  /** {@code vaMode}, in. */
  public static int vaMode(MemorySegment segment) {
    return (int) VA_MODE.get(segment, 0L);
  }

  /** Sets {@link #vaMode}. */
  public static void vaMode(MemorySegment segment, int value) {
    VA_MODE.set(segment, 0L, value);
  }
}
