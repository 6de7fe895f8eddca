package io.sluice.daemon.runtime;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.event.KeyValuePair;

/**
 * One line an event: {@code time level logger msg} and then its key-value pairs, in logfmt. Under
 * journald the priority stands in front as {@code <N>} and the time is left to the journal:
 * sd-daemon(3).
 */
final class LogfmtLayout extends LayoutBase<ILoggingEvent> {
  private static final Pattern BARE = Pattern.compile("[^\\s\"=\\p{Cc}]+");
  private static final String PACKAGE = "io.sluice.";

  private final boolean journal;

  /**
   * @param journal whether the lines go to journald
   */
  LogfmtLayout(boolean journal) {
    this.journal = journal;
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(160);
    if (journal) {
      line.append('<').append(priority(event.getLevel())).append('>');
    } else {
      line.append("time=").append(event.getInstant()).append(' ');
    }
    line.append("level=").append(event.getLevel().toString().toLowerCase(Locale.ROOT));
    line.append(" logger=").append(shortName(event.getLoggerName()));
    pair(line, "msg", event.getFormattedMessage());
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        pair(line, pair.key, String.valueOf(pair.value));
      }
    }
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      pair(line, "error", thrown.getClassName() + ": " + thrown.getMessage());
      if (event.getLevel().isGreaterOrEqual(Level.ERROR) || isDebugging(event)) {
        pair(line, "stack", ThrowableProxyUtil.asString(thrown).strip());
      }
    }
    return line.append('\n').toString();
  }

  private static boolean isDebugging(ILoggingEvent event) {
    return !event.getLevel().isGreaterOrEqual(Level.INFO);
  }

  private static void pair(StringBuilder line, String key, String value) {
    line.append(' ').append(key).append('=');
    if (BARE.matcher(value).matches()) {
      line.append(value);
    } else {
      line.append('"');
      value.chars().forEach(c -> escaped(line, (char) c));
      line.append('"');
    }
  }

  /** Nothing that a guest makes us log can end a line or begin another. */
  private static void escaped(StringBuilder line, char c) {
    switch (c) {
      case '"' -> line.append("\\\"");
      case '\\' -> line.append("\\\\");
      case '\n' -> line.append("\\n");
      case '\r' -> line.append("\\r");
      case '\t' -> line.append("\\t");
      default -> {
        if (Character.isISOControl(c)) {
          line.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
        } else {
          line.append(c);
        }
      }
    }
  }

  private static String shortName(String logger) {
    return logger.startsWith(PACKAGE) ? logger.substring(PACKAGE.length()) : logger;
  }

  /** Priorities of syslog(3). */
  private static int priority(Level level) {
    return switch (level.toInt()) {
      case Level.ERROR_INT -> 3;
      case Level.WARN_INT -> 4;
      case Level.INFO_INT -> 6;
      default -> 7;
    };
  }
}
