package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration is not usable; names every error at once. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient ImmutableList<ConfigError> errors;

  ConfigException(List<ConfigError> errors) {
    super(errors.stream().map(ConfigError::toString).collect(Collectors.joining("\n")));
    this.errors = ImmutableList.copyOf(errors);
  }

  /** All that is wrong, at least one. */
  public ImmutableList<ConfigError> errors() {
    return errors;
  }
}
