package io.sluice.abi.sandbox;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct landlock_ruleset_attr}: the accesses that a ruleset denies unless a rule allows
 * them. A kernel takes as much of it as it knows: {@link #bytes}.
 *
 * <p>24 bytes. Source: linux/landlock.h.
 */
final class LandlockRulesetAttr {
  private static final Struct S = Struct.aligned("landlock_ruleset_attr");
  static final U64 HANDLED_ACCESS_FS = S.u64("handled_access_fs", "accesses to files");
  static final U64 HANDLED_ACCESS_NET = S.u64("handled_access_net", "accesses to ports");
  static final U64 SCOPED = S.u64("scoped", "what is kept within the sandbox");
  static final StructLayout LAYOUT = S.layout();

  private LandlockRulesetAttr() {}

  /** As many bytes as a kernel with that version of Landlock knows. */
  static long bytes(int version) {
    if (version >= Landlock.VERSION_SCOPES) {
      return LAYOUT.byteSize();
    }
    return version >= Landlock.VERSION_PORTS ? SCOPED.offset() : HANDLED_ACCESS_NET.offset();
  }
}
