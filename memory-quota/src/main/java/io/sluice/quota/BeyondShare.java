package io.sluice.quota;

import java.util.Optional;

/** The answer to an allocation beyond a guest's share. */
public enum BeyondShare {
  /** ENOMEM. */
  OUT_OF_MEMORY("out-of-memory"),
  /** System memory, where the GPU can evict; elsewhere ENOMEM all the same. */
  SYSTEM_MEMORY("system-memory");

  private final String text;

  BeyondShare(String text) {
    this.text = text;
  }

  /** The value as an operator writes it. */
  public String text() {
    return text;
  }

  /** The value of a text; empty when it is none. */
  public static Optional<BeyondShare> of(String text) {
    for (BeyondShare each : values()) {
      if (each.text.equals(text)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }
}
