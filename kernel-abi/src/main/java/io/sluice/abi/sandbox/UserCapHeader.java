package io.sluice.abi.sandbox;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct __user_cap_header_struct}: whose capabilities a call is about. The call takes, for
 * version 3, twice three words: effective, permitted, inheritable, the low ones first.
 *
 * <p>8 bytes. Source: linux/capability.h.
 */
final class UserCapHeader {
  /** {@code _LINUX_CAPABILITY_VERSION_3}. */
  static final int VERSION_3 = 0x20080522;

  private static final Struct S = Struct.aligned("__user_cap_header_struct");
  static final U32 VERSION = S.u32("version", "of the words");
  static final StructLayout LAYOUT = S.unused32("pid", "thread; 0 for the caller").layout();

  private UserCapHeader() {}
}
