package io.sluice.abi.drm;

/**
 * The parts of an ioctl's request word, {@code asm-generic/ioctl.h}, and the numbers of the DRM
 * core.
 *
 * <pre>
 *  31 30 29            16 15        8 7         0
 * +-----+----------------+-----------+-----------+
 * | dir |      size      | type 'd'  |  number   |
 * +-----+----------------+-----------+-----------+
 * </pre>
 *
 * A driver's own commands have numbers {@link #COMMAND_BASE} to {@link #COMMAND_END} - 1.
 */
public final class DrmIoctl {
  /** Type of all DRM ioctls. */
  public static final int TYPE = 'd';

  /** Number of a driver's command 0, {@code DRM_COMMAND_BASE}. */
  public static final int COMMAND_BASE = 0x40;

  /** First number behind a driver's commands, {@code DRM_COMMAND_END}. */
  public static final int COMMAND_END = 0xa0;

  /** Direction: the driver reads the argument, {@code _IOC_WRITE}. */
  public static final int WRITE = 1;

  /** Direction: the driver writes the argument, {@code _IOC_READ}. */
  public static final int READ = 2;

  /** {@code DRM_IOCTL_VERSION}, with {@link DrmVersion}. */
  public static final int VERSION = request(READ | WRITE, 0x00, (int) DrmVersion.SIZE);

  /** {@code DRM_IOCTL_GEM_CLOSE}, with {@link GemClose}. */
  public static final int GEM_CLOSE = request(WRITE, 0x09, (int) GemClose.SIZE);

  /** {@code DRM_IOCTL_GEM_FLINK}, with {@link GemFlink}. */
  public static final int GEM_FLINK = request(READ | WRITE, 0x0a, (int) GemFlink.SIZE);

  /** {@code DRM_IOCTL_GEM_OPEN}, with {@link GemOpen}. */
  public static final int GEM_OPEN = request(READ | WRITE, 0x0b, (int) GemOpen.SIZE);

  private DrmIoctl() {}

  /**
   * The request word of a DRM ioctl.
   *
   * @param direction {@link #READ}, {@link #WRITE}, both or 0
   * @param number 0 to 255
   * @param sizeBytes of the argument, 0 to {@link DrmDevice#MAX_ARGUMENT_BYTES}
   */
  public static int request(int direction, int number, int sizeBytes) {
    if (direction < 0
        || direction > (READ | WRITE)
        || number < 0
        || number > 0xff
        || sizeBytes < 0
        || sizeBytes > DrmDevice.MAX_ARGUMENT_BYTES) {
      throw new IllegalArgumentException(
          "no such ioctl, direction=" + direction + ", number=" + number + ", size=" + sizeBytes);
    }
    return direction << 30 | sizeBytes << 16 | TYPE << 8 | number;
  }

  /** The direction of a request word. */
  public static int direction(int request) {
    return request >>> 30;
  }

  /** The type of a request word. */
  public static int type(int request) {
    return request >>> 8 & 0xff;
  }

  /** The number of a request word. */
  public static int number(int request) {
    return request & 0xff;
  }

  /** The argument's bytes by a request word. */
  public static int size(int request) {
    return request >>> 16 & DrmDevice.MAX_ARGUMENT_BYTES;
  }
}
