package io.sluice.abi.drm;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A DRM device of the host: an open of {@code /dev/dri/cardN}. Thread-safe as the driver is. */
public final class DrmFile implements DrmDevice {
  private static final long MAX_TEXT_BYTES = 256;

  private final Kernel kernel;
  private final Fd fd;

  private DrmFile(Kernel kernel, Fd fd) {
    this.kernel = kernel;
    this.fd = fd;
  }

  /**
   * Opens a device node.
   *
   * @param node {@code /dev/dri/cardN}
   * @throws io.sluice.abi.SyscallException as {@code open} fails
   */
  public static DrmFile open(Kernel kernel, Path node) {
    return new DrmFile(kernel, kernel.open(node, Kernel.O_RDWR));
  }

  /**
   * Which driver answers, by {@code DRM_IOCTL_VERSION}.
   *
   * @throws io.sluice.abi.SyscallException ENOTTY for a file that is no DRM device
   */
  public Driver driver() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment version = arena.allocate(DrmVersion.LAYOUT);
      MemorySegment name = arena.allocate(MAX_TEXT_BYTES);
      MemorySegment description = arena.allocate(MAX_TEXT_BYTES);
      DrmVersion.NAME_LEN.set(version, MAX_TEXT_BYTES);
      DrmVersion.NAME.set(version, name.address());
      DrmVersion.DESC_LEN.set(version, MAX_TEXT_BYTES);
      DrmVersion.DESC.set(version, description.address());
      kernel.ioctl(fd, Integer.toUnsignedLong(DrmIoctl.VERSION), version);
      return new Driver(
          text(name, DrmVersion.NAME_LEN.get(version)),
          text(description, DrmVersion.DESC_LEN.get(version)),
          DrmVersion.VERSION_MAJOR.get(version),
          DrmVersion.VERSION_MINOR.get(version),
          DrmVersion.VERSION_PATCHLEVEL.get(version));
    }
  }

  private static String text(MemorySegment bytes, long length) {
    byte[] known =
        bytes
            .asSlice(0, Math.clamp(length, 0, MAX_TEXT_BYTES))
            .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    return new String(known, StandardCharsets.UTF_8);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The DRM core copies the argument back from a call that failed, too, so the driver works on a
   * copy.
   */
  @Override
  public void ioctl(int request, MemorySegment argument) {
    int size = DrmIoctl.size(request);
    if (argument.byteSize() < size) {
      throw new IllegalArgumentException(
          "the argument is shorter than the request says, bytes="
              + argument.byteSize()
              + ", request=0x"
              + Integer.toHexString(request));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.max(1, size), Long.BYTES);
      copy.copyFrom(argument.asSlice(0, size));
      kernel.ioctl(fd, Integer.toUnsignedLong(request), copy);
      MemorySegment.copy(copy, 0, argument, 0, size);
    }
  }

  /** The node itself, with the handle as offset: the driver checks it when it is mapped. */
  @Override
  public DrmMapping map(long mapHandle, long lengthBytes) {
    return new DrmMapping(kernel.dup(fd), mapHandle, lengthBytes);
  }

  @Override
  public void close() {
    fd.close();
  }

  /**
   * A DRM driver.
   *
   * @param name its name, {@code pscnv}
   * @param description what it says it is for
   * @param major major version
   * @param minor minor version
   * @param patchlevel patch level
   */
  public record Driver(String name, String description, int major, int minor, int patchlevel) {}
}
