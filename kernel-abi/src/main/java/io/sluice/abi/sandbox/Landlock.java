package io.sluice.abi.sandbox;

/** Accesses that the rules name, and the version that brought each; linux/landlock.h. */
public final class Landlock {
  public static final long FS_EXECUTE = 1;
  public static final long FS_WRITE_FILE = 1 << 1;
  public static final long FS_READ_FILE = 1 << 2;
  public static final long FS_READ_DIR = 1 << 3;
  public static final long FS_REMOVE_DIR = 1 << 4;
  public static final long FS_REMOVE_FILE = 1 << 5;
  public static final long FS_MAKE_DIR = 1 << 7;
  public static final long FS_MAKE_REG = 1 << 8;
  public static final long FS_REFER = 1 << 13;
  public static final long FS_TRUNCATE = 1 << 14;
  public static final long FS_IOCTL_DEV = 1 << 15;

  public static final long NET_BIND_TCP = 1;
  public static final long NET_CONNECT_TCP = 1 << 1;

  public static final long SCOPE_ABSTRACT_UNIX_SOCKET = 1;
  public static final long SCOPE_SIGNAL = 1 << 1;

  /** The accesses that concern a file itself; all others concern what is in a directory. */
  public static final long OF_A_FILE =
      FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV;

  static final int VERSION_REFER = 2;
  static final int VERSION_TRUNCATE = 3;
  static final int VERSION_PORTS = 4;
  static final int VERSION_IOCTL_DEV = 5;
  static final int VERSION_SCOPES = 6;

  private Landlock() {}

  /** All accesses to files that a version tells apart. */
  public static long files(int version) {
    long known = FS_REFER - 1; // the first version: all bits below
    known |= version >= VERSION_REFER ? FS_REFER : 0;
    known |= version >= VERSION_TRUNCATE ? FS_TRUNCATE : 0;
    known |= version >= VERSION_IOCTL_DEV ? FS_IOCTL_DEV : 0;
    return known;
  }

  /** All accesses to ports that a version tells apart. */
  public static long ports(int version) {
    return version >= VERSION_PORTS ? NET_BIND_TCP | NET_CONNECT_TCP : 0;
  }

  /** All that a version keeps within a sandbox. */
  public static long scopes(int version) {
    return version >= VERSION_SCOPES ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0;
  }
}
