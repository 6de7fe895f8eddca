package io.sluice.abi.sandbox;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct landlock_path_beneath_attr}: a rule that allows accesses to a file, or to all below
 * a directory.
 *
 * <p>12 bytes. Source: linux/landlock.h.
 */
final class LandlockPathBeneathAttr {
  private static final Struct S = Struct.packed("landlock_path_beneath_attr");
  static final U64 ALLOWED_ACCESS = S.u64("allowed_access", "accesses to files");
  static final S32 PARENT_FD = S.s32("parent_fd", "the file or directory");
  static final StructLayout LAYOUT = S.layout();

  private LandlockPathBeneathAttr() {}
}
