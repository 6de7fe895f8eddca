package io.sluice.daemon.config;

import io.sluice.abi.ErrorEntry;

/**
 * One thing that is wrong with the configuration.
 *
 * @param code {@code SLU-CONFIG-<three digits>}
 * @param where file with line and column, or the variable or flag
 * @param what what is wrong
 * @param fix what to do; empty when {@code what} says it
 */
public record ConfigError(String code, String where, String what, String fix) {
  ConfigError(ErrorEntry error, String where, String what, String fix) {
    this(error.code(), where, what, fix);
  }

  /** {@code where: what; fix [code]}. */
  @Override
  public String toString() {
    return where + ": " + what + (fix.isEmpty() ? "" : "; " + fix) + " [" + code + "]";
  }
}
