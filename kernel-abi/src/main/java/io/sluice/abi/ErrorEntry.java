package io.sluice.abi;

/**
 * An error with a code of its own. Each module lists its errors in an enum, of which docs/errors.md
 * is made; a code stands in one of them and nowhere else.
 */
public interface ErrorEntry {
  /** The error's line in docs/errors.md. */
  ErrorText text();

  /** The stable code, {@code SLU-<area>-<three digits>}. */
  default String code() {
    return text().code();
  }
}
