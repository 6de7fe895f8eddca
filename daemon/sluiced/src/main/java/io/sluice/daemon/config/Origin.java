package io.sluice.daemon.config;

import java.nio.file.Path;

/**
 * The place where a value was written, in the words an error names it by: {@code
 * /etc/sluice/sluice.toml:4:1}, {@code environment SLUICE_LOG_LEVEL}, {@code flag --set}, {@code
 * default}.
 */
record Origin(String text) {
  static final Origin DEFAULT = new Origin("default");
  static final Origin FLAG = new Origin("flag --set");

  static Origin file(Path file, int line, int column) {
    return new Origin(file + ":" + line + ":" + column);
  }

  static Origin environment(String name) {
    return new Origin("environment " + name);
  }

  @Override
  public String toString() {
    return text;
  }
}
