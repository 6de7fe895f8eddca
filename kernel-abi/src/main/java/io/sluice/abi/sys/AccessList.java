package io.sluice.abi.sys;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The access of a file by which its owner and one more user may do anything, and nobody else
 * nothing: a POSIX ACL, acl(5). The mode that a program asks for when it makes the file is taken
 * off: with a umask that takes writing from the group, the user may not write.
 *
 * @param user id of the other user
 */
public record AccessList(int user) {
  private static final int POSIX_ACL_XATTR_VERSION = 2;
  private static final int ACL_USER_OBJ = 0x01;
  private static final int ACL_USER = 0x02;
  private static final int ACL_GROUP_OBJ = 0x04;
  private static final int ACL_MASK = 0x10;
  private static final int ACL_OTHER = 0x20;
  private static final int ACL_READ = 0x04;
  private static final int ACL_WRITE = 0x02;
  private static final int ACL_EXECUTE = 0x01;
  private static final int ACL_UNDEFINED_ID = -1;
  private static final int ENTRIES = 5;
  private static final int ENTRY_BYTES = 8;

  /** As the kernel takes it: {@code linux/posix_acl_xattr.h}, entries by their tags. */
  byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(Integer.BYTES + ENTRIES * ENTRY_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(POSIX_ACL_XATTR_VERSION);
    int all = ACL_READ | ACL_WRITE | ACL_EXECUTE;
    entry(out, ACL_USER_OBJ, all, ACL_UNDEFINED_ID);
    entry(out, ACL_USER, all, user);
    entry(out, ACL_GROUP_OBJ, 0, ACL_UNDEFINED_ID);
    entry(out, ACL_MASK, all, ACL_UNDEFINED_ID);
    entry(out, ACL_OTHER, 0, ACL_UNDEFINED_ID);
    return out.array();
  }

  private static void entry(ByteBuffer out, int tag, int permissions, int id) {
    out.putShort((short) tag).putShort((short) permissions).putInt(id);
  }
}
