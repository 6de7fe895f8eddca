package io.sluice.abi.rm;

import io.sluice.abi.Errno;
import java.util.Locale;

/** The answers of RM that Sluice has met or tells apart. Source: nvstatuscodes.h. */
public enum RmStatus {
  OK(0x00, Errno.EIO),
  INSUFFICIENT_PERMISSIONS(0x1b, Errno.EPERM),
  INVALID_ADDRESS(0x1e, Errno.EINVAL),
  INVALID_ARGUMENT(0x1f, Errno.EINVAL),
  INVALID_CLASS(0x22, Errno.ENODEV),
  INVALID_CLIENT(0x23, Errno.EPERM),
  INVALID_LIMIT(0x2e, Errno.EINVAL),
  INVALID_OBJECT_HANDLE(0x33, Errno.ENOENT),
  INVALID_OFFSET(0x37, Errno.EINVAL),
  INVALID_STATE(0x40, Errno.EBUSY),
  NO_MEMORY(0x51, Errno.ENOMEM),
  NOT_SUPPORTED(0x56, Errno.EOPNOTSUPP),
  OBJECT_NOT_FOUND(0x57, Errno.ENOENT),
  TIMEOUT(0x65, Errno.ETIMEDOUT),
  RESOURCE_LOST(0x6e, Errno.EIO);

  private final int code;
  private final Errno errno;

  RmStatus(int code, Errno errno) {
    this.code = code;
    this.errno = errno;
  }

  /** The number in an argument's status word. */
  public int code() {
    return code;
  }

  /** The errno that a guest is answered with for a status word that is not 0. */
  public static Errno errnoOf(int code) {
    for (RmStatus status : values()) {
      if (status.code == code) {
        return status.errno;
      }
    }
    return Errno.EIO;
  }

  /** A status word in words. */
  public static String nameOf(int code) {
    for (RmStatus status : values()) {
      if (status.code == code) {
        return status.name();
      }
    }
    return String.format(Locale.ROOT, "status 0x%x", code);
  }
}
