package io.sluice.channel.table;

import com.google.common.collect.ImmutableSet;
import io.sluice.channel.Capability;
import io.sluice.channel.Refusal;

/** The abilities of a GPU, as the calls of a guest ask it. */
public record Capabilities(ImmutableSet<Capability> all) {
  public boolean has(Capability capability) {
    return all.contains(capability);
  }

  /** EOPNOTSUPP without it. */
  public void require(Capability capability, String operation) {
    if (!has(capability)) {
      throw Refusal.missing(capability, operation);
    }
  }
}
