package io.sluice.daemon.config;

/**
 * One thing that is wrong with the configuration.
 *
 * @param code {@code SLU-CONFIG-<three digits>}
 * @param where file with line and column, or the variable or flag
 * @param what what is wrong
 * @param fix what to do; empty when {@code what} says it
 */
public record ConfigError(String code, String where, String what, String fix) {
  /** The file cannot be read. */
  static final String UNREADABLE = "SLU-CONFIG-001";

  /** Not TOML. */
  static final String SYNTAX = "SLU-CONFIG-002";

  /** No such key. */
  static final String UNKNOWN_KEY = "SLU-CONFIG-003";

  /** The value is not one of the key's. */
  static final String VALUE = "SLU-CONFIG-004";

  /** A value is missing, or contradicts another. */
  static final String CONFLICT = "SLU-CONFIG-005";

  /** {@code where: what; fix [code]}. */
  @Override
  public String toString() {
    return where + ": " + what + (fix.isEmpty() ? "" : "; " + fix) + " [" + code + "]";
  }
}
