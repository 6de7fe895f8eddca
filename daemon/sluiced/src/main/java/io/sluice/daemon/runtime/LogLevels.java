package io.sluice.daemon.runtime;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.sluice.management.ErrorCode;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import java.util.List;
import java.util.Locale;
import javax.management.OperationsException;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The level of the whole program's log, read and changed while it runs. */
public final class LogLevels {
  private static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace");

  private LogLevels() {}

  public static String get() {
    return root().getLevel().toString().toLowerCase(Locale.ROOT);
  }

  public static void set(String level) throws OperationsException {
    if (!LEVELS.contains(level)) {
      throw Problem.of(
              ErrorCode.LOG_LEVEL,
              "cannot set the log level to \"" + level + "\"",
              "there is no such level",
              Nearest.to(level, LEVELS)
                  .map(near -> "did you mean \"" + near + "\"?")
                  .orElse("use one of " + String.join(", ", LEVELS)))
          .exception();
    }
    root().setLevel(Level.toLevel(level));
  }

  private static Logger root() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return ((LoggerContext) factory).getLogger(Logger.ROOT_LOGGER_NAME);
  }
}
