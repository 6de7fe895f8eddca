package io.sluice.channel;

import com.google.common.collect.ImmutableSet;

/** The abilities of a GPU, as the calls of a guest ask it. */
record Capabilities(ImmutableSet<Capability> all) {
  boolean has(Capability capability) {
    return all.contains(capability);
  }

  /** EOPNOTSUPP without it. */
  void require(Capability capability, String operation) {
    if (!has(capability)) {
      throw Refusal.missing(capability, operation);
    }
  }
}
