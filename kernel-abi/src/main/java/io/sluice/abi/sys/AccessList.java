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
  private static final int VERSION = 2;
  private static final int ENTRIES = 5;
  private static final int ENTRY_BYTES = 8;
  private static final int NOBODY = -1;
  private static final short ALL = 7;

  /** As the kernel takes it: {@code linux/posix_acl_xattr.h}, entries by their tags. */
  byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(Integer.BYTES + ENTRIES * ENTRY_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(VERSION);
    entry(out, 0x01, ALL, NOBODY); // ACL_USER_OBJ
    entry(out, 0x02, ALL, user); // ACL_USER
    entry(out, 0x04, (short) 0, NOBODY); // ACL_GROUP_OBJ
    entry(out, 0x10, ALL, NOBODY); // ACL_MASK
    entry(out, 0x20, (short) 0, NOBODY); // ACL_OTHER
    return out.array();
  }

  private static void entry(ByteBuffer out, int tag, short permissions, int id) {
    out.putShort((short) tag).putShort(permissions).putInt(id);
  }
}
