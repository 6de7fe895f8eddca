package io.sluice.daemon.config;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of a configuration. */
enum ConfigCode implements ErrorEntry {
  // spotless:off
  UNREADABLE("SLU-CONFIG-001", "The configuration file cannot be read.", "It is not there, or not the daemon's to read.", "Check the path and the permissions."),
  SYNTAX("SLU-CONFIG-002", "The file is not TOML.", "The message has line and column.", "Mend it; sluiced --check-config shows all errors."),
  UNKNOWN_KEY("SLU-CONFIG-003", "There is no such key.", "It is misspelt, or of another version.", "See docs/configuration.md."),
  VALUE("SLU-CONFIG-004", "The value is not one that the key takes.", "The message says what it takes.", "See docs/configuration.md."),
  CONFLICT("SLU-CONFIG-005", "A value is missing, or contradicts another.", "The message names both.", "See docs/configuration.md.");
  // spotless:on

  private final ErrorText text;

  ConfigCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
